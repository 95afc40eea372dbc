package dev.ouroboros.sandbox;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.RunningNode;
import java.nio.file.Files;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/**
 * A node loses its power, and gets it back: it boots from its own disk, and its services come up as they do on a machine. Nobody
 * helps it.
 */
public final class Reboot {
    private static final Duration BOOT_TIMEOUT = Duration.ofMinutes(2);

    private final Sandbox sandbox;
    private final Disk disk;
    private final Waiting waiting;

    public Reboot(Sandbox sandbox, Disk disk, InstantSource time) {
        this.sandbox = sandbox;
        this.disk = disk;
        this.waiting = new Waiting(time);
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
        return sandbox.exclusively(() -> new Outcome(sandbox.cutPower(), Optional.empty()));
    }

    /** Cuts the power of the node, if that runs, and boots it. It returns when the kubelet has been started. */
    public Outcome run() {
        return sandbox.exclusively(() -> {
            Optional<Instant> cut = sandbox.cutPower();
            RunningNode node = sandbox.ensureNode();
            return new Outcome(cut, kubeletStart(node));
        });
    }

    private Optional<Instant> kubeletStart(RunningNode node) {
        if (!Files.exists(node.file(NodeLayout.KUBELET_SERVICE))) {
            return Optional.empty();
        }
        if (!waiting.until(() -> firstStart(node).isPresent(), BOOT_TIMEOUT)) {
            throw ProblemException.of(
                    ErrorCode.COMPONENT_FAILED,
                    "kubelet of node " + sandbox.name().node(),
                    "was not started " + BOOT_TIMEOUT.toSeconds() + " s after the node was booted",
                    "",
                    "see " + sandbox.paths().logs());
        }
        return firstStart(node);
    }

    private Optional<Instant> firstStart(RunningNode node) {
        String starts = disk.readText(node.file(NodeLayout.KUBELET_STARTS)).orElse("");
        int end = starts.indexOf('\n');
        try {
            return end < 0 ? Optional.empty() : Optional.of(Instant.parse(starts.substring(0, end)));
        } catch (DateTimeException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.FOREIGN_FILE,
                            NodeLayout.KUBELET_STARTS.toString(),
                            "is not ours: " + e,
                            "",
                            "take the sandbox down (ouro down) and make it again"),
                    e);
        }
    }
}
