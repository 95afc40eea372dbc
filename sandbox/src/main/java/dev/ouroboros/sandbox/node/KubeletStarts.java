package dev.ouroboros.sandbox.node;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.sandbox.NodePaths;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** When the kubelet of a node was started since the node booted, as the kubelet's service records it. */
public final class KubeletStarts {
    private static final Duration BOOT_TIMEOUT = Duration.ofMinutes(2);

    private final Disk disk;
    private final Waiting waiting;
    private final NodePaths paths;

    public KubeletStarts(Disk disk, Waiting waiting, NodePaths paths) {
        this.disk = disk;
        this.waiting = waiting;
        this.paths = paths;
    }

    /**
     * The first start, when there was one; empty when the node has no kubelet yet.
     *
     * @throws ProblemException COMPONENT_FAILED after two minutes without one, FOREIGN_FILE when others wrote in its place
     */
    public Optional<Instant> await(RunningNode node) {
        if (disk.status(node.file(NodeLayout.KUBELET_SERVICE)).isEmpty()) {
            return Optional.empty();
        }
        if (!waiting.until(() -> first(node).isPresent(), BOOT_TIMEOUT)) {
            throw ProblemException.of(
                    ErrorCode.COMPONENT_FAILED,
                    "kubelet of node " + paths.node(),
                    "was not started " + BOOT_TIMEOUT.toSeconds() + " s after the node was booted",
                    "",
                    "see " + paths.logs());
        }
        return first(node);
    }

    private Optional<Instant> first(RunningNode node) {
        String starts = disk.readText(node.file(NodeLayout.KUBELET_STARTS)).orElse("");
        int end = starts.indexOf('\n');
        try {
            return end < 0 ? Optional.empty() : Optional.of(Instant.parse(starts.substring(0, end)));
        } catch (DateTimeException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.FOREIGN_FILE,
                            NodeLayout.KUBELET_STARTS.toString(),
                            "is not ours: " + e.getMessage(),
                            "",
                            "take the sandbox down (ouro down --name "
                                    + paths.sandbox().name() + ") and make it again"),
                    e);
        }
    }
}
