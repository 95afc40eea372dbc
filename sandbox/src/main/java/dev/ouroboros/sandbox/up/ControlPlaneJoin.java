package dev.ouroboros.sandbox.up;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.NodeObjects;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxApi;
import dev.ouroboros.sandbox.SandboxNode;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

/**
 * Makes nodes of a sandbox ones of its control plane, as people do it: by their label alone. Of controller manager and scheduler there are two
 * then, each ready to lead.
 */
final class ControlPlaneJoin {
    private static final int LEADERS = 2;

    private final Sandbox sandbox;
    private final Waiting waiting;

    ControlPlaneJoin(Sandbox sandbox, InstantSource time) {
        this.sandbox = sandbox;
        this.waiting = new Waiting(time);
    }

    /**
     * Waits until the {@code kubernetes} Service leads to each: their keepers name them once their API servers serve.
     *
     * @throws ProblemException COMPONENT_FAILED with those that it does not lead to
     */
    void label(List<SandboxNode> nodes, ClusterFacts cluster, Duration limit) {
        try (ClusterClient client = client()) {
            NodeObjects objects = new NodeObjects(client);
            String role = VersionFacts.of(cluster.version()).nodeRole();
            nodes.forEach(node -> objects.label(node.name(), role));
            if (!waiting.until(() -> lacking(objects, nodes).isEmpty(), limit)) {
                throw ProblemException.of(
                        ErrorCode.COMPONENT_FAILED,
                        "control-plane nodes " + lacking(objects, nodes),
                        "the kubernetes Service does not lead there after " + limit.toSeconds() + " s",
                        "a ready API server on each",
                        "'ouro status --name " + sandbox.name()
                                + "' says what they wait for; run 'ouro up' again, which goes on");
            }
            objects.scaleLeaders(LEADERS);
        }
    }

    /** Whether the {@code kubernetes} Service leads to each of these nodes. */
    boolean serve(List<SandboxNode> nodes) {
        try (ClusterClient client = client()) {
            return lacking(new NodeObjects(client), nodes).isEmpty();
        }
    }

    private static List<String> lacking(NodeObjects objects, List<SandboxNode> nodes) {
        Set<String> named =
                objects.servers() instanceof Evidence.Known<Set<String>>(Set<String> known) ? known : Set.of();
        return nodes.stream()
                .filter(node -> !named.contains(node.requireAddress()))
                .map(SandboxNode::name)
                .toList();
    }

    private ClusterClient client() {
        return ClusterClient.connect(SandboxApi.endpoint(sandbox));
    }
}
