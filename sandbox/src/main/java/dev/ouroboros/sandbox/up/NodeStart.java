package dev.ouroboros.sandbox.up;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxNode;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.RunningNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** {@code ouro start} in a sandbox's node, as its owner would call it there. */
public final class NodeStart {
    private static final Duration FROM_SNAPSHOT = Duration.ofMinutes(15);

    private final Sandbox sandbox;
    private final Processes processes;
    private final List<String> ouro;

    /** @param ouro how this program is called */
    public NodeStart(Sandbox sandbox, Processes processes, List<String> ouro) {
        this.sandbox = sandbox;
        this.processes = processes;
        this.ouro = List.copyOf(ouro);
    }

    /**
     * As {@link #run}, from a snapshot, a file of this machine: what was written since is lost. The other nodes lose their power, and stay off: their API servers
     * and controllers would go on with what is lost. Those that were of the control plane come back as workers.
     */
    public void fromSnapshot(Path snapshot, Consumer<String> lines) {
        List<String> options =
                List.of("--etcd-snapshot", NodeLayout.ofHostFile(snapshot).toString(), "--discard-etcd");
        RunningNode node = sandbox.requireNode("ouro reboot " + sandbox.name().node() + " boots it");
        sandbox.exclusively(() -> {
            List<SandboxNode> others = sandbox.nodes().stream().skip(1).toList();
            sandbox.cutPower(others);
            run(node, options, FROM_SNAPSHOT, lines, "run the same command again, which goes on");
            if (!others.isEmpty()) {
                // Their kubelets register them then: the snapshot may be older than their Nodes, and start deletes
                // some.
                lines.accept(
                        "the other nodes are off: 'ouro up --name " + sandbox.name()
                                + "' boots them, as workers those that start has deleted: 'kubectl label node' makes them ones of the control plane");
            }
            return true;
        });
    }

    /**
     * Runs it to its end.
     *
     * @param options beside those that say where things are in a node
     * @param lines gets what it says
     * @param next what to do when it fails
     * @throws ProblemException COMPONENT_FAILED when it fails
     */
    public void run(RunningNode node, List<String> options, Duration limit, Consumer<String> lines, String next) {
        List<String> command = new ArrayList<>(ouro);
        command.addAll(List.of(
                "start",
                "--asset-dir",
                NodeLayout.ASSETS.toString(),
                "--pod-manifest-path",
                NodeLayout.MANIFESTS.toString(),
                "--node-name",
                sandbox.name().node(),
                "--kubelet-restart-command",
                NodeLayout.RESTART_KUBELET));
        command.addAll(options);
        int exitCode = processes.stream(
                        sandbox.first().forUp(node).enter(Command.of(command).withTimeout(limit)), lines)
                .exitCode();
        if (exitCode != 0) {
            throw ProblemException.of(
                    ErrorCode.COMPONENT_FAILED,
                    "ouro start in node " + sandbox.name().node(),
                    "failed with exit code " + exitCode + "; it says above why",
                    "",
                    next);
        }
    }
}
