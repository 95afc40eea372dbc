package dev.ouroboros.sandbox;

import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.sandbox.node.KubeletStarts;
import dev.ouroboros.sandbox.node.RunningNode;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Nodes lose their power, and get it back: each boots from its own disk, and its services come up as they do on a machine. Nobody
 * helps them.
 */
public final class Reboot {
    private final Sandbox sandbox;
    private final List<SandboxNode> nodes;
    private final Disk disk;
    private final InstantSource time;

    /** @param nodes of the sandbox, to which it happens together */
    public Reboot(Sandbox sandbox, List<SandboxNode> nodes, Disk disk, InstantSource time) {
        this.sandbox = sandbox;
        this.nodes = List.copyOf(nodes);
        this.disk = disk;
        this.time = time;
    }

    /**
     * What happened to a node.
     *
     * @param powerCutAt empty when the node had no power
     * @param kubeletStartedAt empty when the node was not booted, or has no kubelet yet
     */
    public record Outcome(String node, Optional<Instant> powerCutAt, Optional<Instant> kubeletStartedAt) {}

    /** Cuts the power of those that run, and gives no new one. */
    public List<Outcome> cutPower() {
        return sandbox.exclusively(() -> outcomes(sandbox.cutPower(nodes), Map.of()));
    }

    /** Boots those that do not run. It returns when their kubelets have been started. */
    public List<Outcome> boot() {
        return sandbox.exclusively(() -> outcomes(Map.of(), bootAll()));
    }

    /** Cuts the power of those that run, and boots all. It returns when their kubelets have been started. */
    public List<Outcome> run() {
        return sandbox.exclusively(() -> {
            Map<String, Instant> cut = sandbox.cutPower(nodes);
            return outcomes(cut, bootAll());
        });
    }

    /** By their names, when their kubelets were started. */
    private Map<String, Instant> bootAll() {
        Map<SandboxNode, RunningNode> booted = new LinkedHashMap<>();
        nodes.forEach(node -> booted.put(node, sandbox.boot(node)));
        Map<String, Instant> started = new HashMap<>();
        booted.forEach((node, running) -> new KubeletStarts(disk, new Waiting(time), node.paths())
                .await(running)
                .ifPresent(moment -> started.put(node.name(), moment)));
        return started;
    }

    private List<Outcome> outcomes(Map<String, Instant> cut, Map<String, Instant> started) {
        return nodes.stream()
                .map(node -> new Outcome(
                        node.name(),
                        Optional.ofNullable(cut.get(node.name())),
                        Optional.ofNullable(started.get(node.name()))))
                .toList();
    }
}
