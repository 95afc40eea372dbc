package dev.ouroboros.bootstrap.decide;

import java.time.Duration;

/**
 * Times of a pivot.
 *
 * @param settle how long the self-hosted API server must have been ready without interruption before traffic moves to it
 * @param progressDeadline how long a pivot may make no progress before it fails
 * @param removalPatience how long a pivot that failed waits for the temporary components to end
 * @param maximumRestarts how often a container that never became ready may end before the pivot fails without waiting longer
 * @param kubeletStartsSlowly whether a kubelet that must be restarted to join takes longer for it than the temporary API server
 *     takes to become ready
 */
public record PivotSettings(
        Duration settle,
        Duration progressDeadline,
        Duration removalPatience,
        int maximumRestarts,
        boolean kubeletStartsSlowly) {
    /**
     * A server that is ready answers more than one probe within the settle time. It need not be long: the temporary server goes on until
     * the final endpoint was probed after the switch, and takes the clients back if that fails.
     */
    public static final PivotSettings DEFAULT =
            new PivotSettings(Duration.ofMillis(200), Duration.ofMinutes(10), Duration.ofSeconds(15), 4, false);

    public PivotSettings {
        if (settle.isNegative() || progressDeadline.isNegative() || maximumRestarts < 1) {
            throw new IllegalArgumentException("settle " + settle + ", progressDeadline " + progressDeadline
                    + ", maximumRestarts " + maximumRestarts);
        }
    }

    public PivotSettings withProgressDeadline(Duration deadline) {
        return new PivotSettings(settle, deadline, removalPatience, maximumRestarts, kubeletStartsSlowly);
    }

    public PivotSettings withKubeletThatStartsSlowly(boolean slowly) {
        return new PivotSettings(settle, progressDeadline, removalPatience, maximumRestarts, slowly);
    }
}
