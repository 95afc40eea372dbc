package dev.ouroboros.sandbox;

import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.sandbox.node.KubeletStarts;
import dev.ouroboros.sandbox.node.RunningNode;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/**
 * A node loses its power, and gets it back: it boots from its own disk, and its services come up as they do on a machine. Nobody
 * helps it.
 */
public final class Reboot {
    private final Sandbox sandbox;
    private final SandboxNode node;
    private final KubeletStarts kubelet;

    public Reboot(Sandbox sandbox, SandboxNode node, Disk disk, InstantSource time) {
        this.sandbox = sandbox;
        this.node = node;
        this.kubelet = new KubeletStarts(disk, new Waiting(time), node.paths());
    }

    /**
     * What happened.
     *
     * @param powerCutAt empty when the node had no power
     * @param kubeletStartedAt empty when the node was not booted, or has no kubelet yet
     */
    public record Outcome(Optional<Instant> powerCutAt, Optional<Instant> kubeletStartedAt) {}

    /** Cuts the power of the node, if that runs, and gives no new one. */
    public Outcome cutPower() {
        return sandbox.exclusively(() -> new Outcome(sandbox.cutPower(node), Optional.empty()));
    }

    /** Boots the node, if it does not run. It returns when the kubelet has been started. */
    public Outcome boot() {
        return sandbox.exclusively(() -> new Outcome(Optional.empty(), kubelet.await(sandbox.boot(node))));
    }

    /** Cuts the power of the node, if that runs, and boots it. It returns when the kubelet has been started. */
    public Outcome run() {
        return sandbox.exclusively(() -> {
            Optional<Instant> cut = sandbox.cutPower(node);
            RunningNode booted = sandbox.boot(node);
            return new Outcome(cut, kubelet.await(booted));
        });
    }
}
