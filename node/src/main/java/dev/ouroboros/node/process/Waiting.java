package dev.ouroboros.node.process;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.clock.LookInterval;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;

/** Waits for conditions by looking again and again. */
public final class Waiting {
    /** A server that is asked must have most of its time for others. */
    private static final LookInterval INTERVAL = new LookInterval(5, Duration.ofMillis(20), Duration.ofSeconds(1));

    private final InstantSource time;

    public Waiting(InstantSource time) {
        this.time = time;
    }

    /** Looks until the condition holds; false when it did not within {@code limit}. */
    public boolean until(BooleanSupplier condition, Duration limit) {
        Instant end = time.instant().plus(limit);
        for (long look = System.nanoTime(); !condition.getAsBoolean(); look = System.nanoTime()) {
            if (!time.instant().isBefore(end)) {
                return false;
            }
            pause(INTERVAL.pauseAfter(Duration.ofNanos(System.nanoTime() - look)));
        }
        return true;
    }

    private static void pause(Duration pause) {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ProblemException.of(
                    ErrorCode.TIMEOUT, "waiting", "interrupted", "", "run the same command again: it goes on");
        }
    }
}
