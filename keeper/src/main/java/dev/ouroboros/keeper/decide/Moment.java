package dev.ouroboros.keeper.decide;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The time of one decision, and the times it is compared with. */
record Moment(KeeperSettings settings, Instant now) {
    /** The time to remember of something that holds now: since when it has held. */
    Optional<Instant> since(Optional<Instant> remembered) {
        return Optional.of(remembered.orElse(now));
    }

    boolean lasted(Optional<Instant> since, Duration duration) {
        return since.isPresent() && !now.isBefore(since.get().plus(duration));
    }

    /** As in {@code 3 s of 10 s}. */
    String progress(Optional<Instant> since, Duration duration) {
        long passed =
                since.map(start -> Duration.between(start, now).toSeconds()).orElse(0L);
        return passed + " s of " + duration.toSeconds() + " s";
    }
}
