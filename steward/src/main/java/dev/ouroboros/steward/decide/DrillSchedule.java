package dev.ouroboros.steward.decide;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** When a node tries the newest of its snapshots. */
public final class DrillSchedule {
    /** A process that has just begun is on a node that has, too, or on a cluster: that is no time for another etcd. */
    static final Duration QUIET = Duration.ofMinutes(10);
    /** After a failure it is tried again this soon, or after the interval, whichever is shorter: with the snapshot that is the newest one then. */
    static final Duration RETRY = Duration.ofHours(1);

    private DrillSchedule() {}

    /**
     * Whether one is due.
     *
     * @param last the last one that is known of, whichever process did it
     * @param running for how long this process has been, or since it tried last, by a clock that does not jump
     * @param now by the wall clock
     */
    public static boolean isDue(Duration interval, Optional<BackupReport.Drill> last, Duration running, Instant now) {
        if (running.compareTo(shorter(interval, QUIET)) < 0) {
            return false;
        }
        // A moment that is yet to come is of a clock that went back since.
        return last.filter(drill -> !drill.at().isAfter(now))
                .map(drill -> drill.at().plus(drill.isPassed() ? interval : shorter(interval, RETRY)))
                .filter(next -> next.isAfter(now))
                .isEmpty();
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
