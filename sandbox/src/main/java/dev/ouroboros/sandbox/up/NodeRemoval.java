package dev.ouroboros.sandbox.up;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.NodeObjects;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxNode;
import java.util.Optional;
import java.util.function.Consumer;

/** Takes a node out of a sandbox and out of its cluster. */
public final class NodeRemoval {
    private final Sandbox sandbox;

    public NodeRemoval(Sandbox sandbox) {
        this.sandbox = sandbox;
    }

    /**
     * Cuts its power first: its kubelet would make its Node object again. Its disk and record go last, so that who is killed in between
     * can run this again.
     *
     * @throws ProblemException BAD_USAGE when it is the sandbox's first; API_UNAVAILABLE when it is off, and its Node object still there
     */
    public void run(SandboxNode node, Consumer<String> lines) {
        sandbox.exclusively(() -> {
            sandbox.requireRemovable(node);
            sandbox.cutPower(node);
            try (ClusterClient client =
                    ClusterClient.connect(KubeconfigFile.read(sandbox.paths().kubeconfig(), Optional.empty()))) {
                if (new NodeObjects(client).remove(node.name())) {
                    lines.accept("Node " + node.name() + " is removed from the cluster");
                }
            }
            sandbox.removeNode(node);
            lines.accept("node " + node.name() + " and its disk are removed");
            return true;
        });
    }
}
