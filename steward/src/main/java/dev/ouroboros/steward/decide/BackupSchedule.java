package dev.ouroboros.steward.decide;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * When this node saves a snapshot. Which nodes do is known without anybody who leads: the first ones by name of those that are ready. So one more takes over while
 * one of them is away, and what it saved stays with it.
 */
public final class BackupSchedule {
    /** After a failure it is tried again this soon, or after the interval, whichever is shorter. */
    static final Duration RETRY = Duration.ofMinutes(5);

    private BackupSchedule() {}

    /** What a node has to do now. */
    public sealed interface Turn {
        record Due() implements Turn {}

        /** The one before it is too young, or was tried too short a while ago. */
        record Waits() implements Turn {}

        /** Other nodes do. */
        record NotHere() implements Turn {}
    }

    /**
     * What this node saved.
     *
     * @param saved when its newest snapshot was saved, by the wall clock, whichever process did
     * @param failed when this process last tried in vain, by the wall clock, if that was after its last success
     * @param sinceTried how long ago this process last tried, by a clock that does not jump: one that does is no reason to fill the disk
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
        // A moment that is yet to come is of a clock that went back since: such a snapshot says nothing of its age.
        boolean isYoung = past.saved()
                .filter(saved -> !saved.isAfter(now) && now.isBefore(saved.plus(policy.interval())))
                .isPresent();
        return isYoung ? new Turn.Waits() : new Turn.Due();
    }
}
