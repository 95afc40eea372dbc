package dev.ouroboros.api;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * How long one server is waited for: several times as long as its slowest answer of late. Who answers late because machine or server is
 * slow does not hang, and a fixed limit that fits a fast machine would say so.
 */
public final class AnswerLimit {
    private static final Duration SHORTEST = Duration.ofSeconds(3);
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final int TIMES_THE_SLOWEST = 4;
    private static final Duration REMEMBERED = Duration.ofMinutes(5);

    private final InstantSource clock;
    private Duration slowest = Duration.ZERO;
    private Instant seen = Instant.MIN;

    /** @param clock that does not jump */
    public AnswerLimit(InstantSource clock) {
        this.clock = clock;
    }

    /** From 3 to 30 s. */
    public synchronized Duration now() {
        if (clock.instant().isAfter(seen.plus(REMEMBERED))) {
            return SHORTEST;
        }
        Duration patient = slowest.multipliedBy(TIMES_THE_SLOWEST);
        if (patient.compareTo(SHORTEST) < 0) {
            return SHORTEST;
        }
        return patient.compareTo(LONGEST) < 0 ? patient : LONGEST;
    }

    /** An answer, or a handshake, came after so long. */
    public synchronized void took(Duration time) {
        boolean forgotten = clock.instant().isAfter(seen.plus(REMEMBERED));
        if (forgotten || time.compareTo(slowest) >= 0) {
            slowest = time;
            seen = clock.instant();
        }
    }
}
