package dev.ouroboros.steward.decide;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** When a node tries the newest of its snapshots. */
public final class DrillSchedule {
    /** No drill so soon after the process began: its node, or the whole cluster, may have just booted, which is no time for another etcd. */
    static final Duration QUIET = Duration.ofMinutes(10);
    /** After a failure the next drill comes this soon, or after the interval, whichever is shorter, with the newest snapshot of then. */
    static final Duration RETRY = Duration.ofHours(1);

    private DrillSchedule() {}

    /**
     * Whether a drill is due.
     *
     * @param last the last known drill, of whichever process
     * @param running how long this process has run, or since its last drill, by a clock that does not jump
     * @param now by the wall clock
     */
    public static boolean isDue(Duration interval, Optional<BackupReport.Drill> last, Duration running, Instant now) {
        if (running.compareTo(shorter(interval, QUIET)) < 0) {
            return false;
        }
        // A time in the future is from before the clock was set back.
        return last.filter(drill -> !drill.at().isAfter(now))
                .map(drill -> drill.at().plus(drill.isPassed() ? interval : shorter(interval, RETRY)))
                .filter(next -> next.isAfter(now))
                .isEmpty();
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
