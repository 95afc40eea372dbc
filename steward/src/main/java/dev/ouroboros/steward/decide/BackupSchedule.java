package dev.ouroboros.steward.decide;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * When this node saves a snapshot. Which nodes save them needs no leader: the first ready nodes by name. So another node takes over while one of them
 * is away, and keeps what it saved.
 */
public final class BackupSchedule {
    /** After a failure the next attempt comes this soon, or after the interval, whichever is shorter. */
    static final Duration RETRY = Duration.ofMinutes(5);

    private BackupSchedule() {}

    /** What a node has to do now. */
    public sealed interface Turn {
        record Due() implements Turn {}

        /** The last snapshot is too young, or the last attempt too recent. */
        record Waits() implements Turn {}

        /** Other nodes save snapshots. */
        record NotHere() implements Turn {}
    }

    /**
     * What this node has done so far.
     *
     * @param saved when its newest snapshot was saved, by the wall clock, by whichever process
     * @param failed when this process last failed, by the wall clock, if that was after its last success
     * @param sinceTried how long ago this process last tried, by a clock that does not jump: a wall clock that jumps must not fill the disk
     */
    public record Past(Optional<Instant> saved, Optional<Instant> failed, Optional<Duration> sinceTried) {
        /** A process that has not tried yet. */
        public static Past of(Optional<Instant> saved) {
            return new Past(saved, Optional.empty(), Optional.empty());
        }
    }

    /** The nodes that save snapshots, of those that are ready, in the order of their names. */
    public static List<String> savers(Collection<String> ready, int copies) {
        return ready.stream().sorted().limit(copies).toList();
    }

    /**
     * What this node has to do.
     *
     * @param ready names of the control-plane nodes that are ready
     * @param now by the wall clock
     */
    public static Turn turn(BackupPolicy policy, String node, Collection<String> ready, Past past, Instant now) {
        if (!savers(ready, policy.copies()).contains(node)) {
            return new Turn.NotHere();
        }
        Duration retry = policy.interval().compareTo(RETRY) < 0 ? policy.interval() : RETRY;
        Duration pause = past.failed().isPresent() ? retry : policy.interval();
        boolean rests =
                past.sinceTried().filter(since -> since.compareTo(pause) < 0).isPresent();
        if (rests) {
            return new Turn.Waits();
        }
        if (past.failed().isPresent()) {
            return new Turn.Due();
        }
        // A time in the future is from before the clock was set back: the age of that snapshot is not known.
        boolean isYoung = past.saved()
                .filter(saved -> !saved.isAfter(now) && now.isBefore(saved.plus(policy.interval())))
                .isPresent();
        return isYoung ? new Turn.Waits() : new Turn.Due();
    }
}
