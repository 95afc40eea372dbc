package dev.ouroboros.upgrade.apply;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** How long one thing is waited for, and how often that is said. It looks again each second. */
public final class Patience {
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration REMINDER = Duration.ofSeconds(30);

    private final ApplyListener listener;
    private final Duration limit;
    private final Duration pause;
    private final InstantSource clock;
    private String said = "";
    private Instant since;
    private Instant told;

    public Patience(ApplyListener listener, Duration limit, InstantSource clock) {
        this(listener, limit, PAUSE, clock);
    }

    /** @param pause before the next look */
    Patience(ApplyListener listener, Duration limit, Duration pause, InstantSource clock) {
        this.listener = listener;
        this.limit = limit;
        this.pause = pause;
        this.clock = clock;
        this.since = clock.instant();
        this.told = since;
    }

    /** Something was done: what is waited for next begins anew. */
    void did() {
        said = "";
        since = clock.instant();
    }

    String moment() {
        return clock.instant().toString();
    }

    /** Waits a little. */
    void waits(String why) {
        Instant now = clock.instant();
        if (!why.equals(said)) {
            said = why;
            since = now;
            told = now;
            listener.waits(why, Duration.ZERO);
        } else if (Duration.between(told, now).compareTo(REMINDER) >= 0) {
            told = now;
            listener.waits(why, Duration.between(since, now));
        }
        if (Duration.between(since, now).compareTo(limit) > 0) {
            throw ProblemException.of(
                    ErrorCode.TIMEOUT,
                    "--timeout",
                    "nothing moved for " + limit.toSeconds() + " s: " + why,
                    "",
                    "ouro explain; run the same command again to go on, or 'ouro upgrade rollback'");
        }
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ProblemException.of(
                    ErrorCode.TIMEOUT, "upgrade", "interrupted", "", "run the same command again to go on");
        }
    }
}
