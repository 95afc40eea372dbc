package dev.ouroboros.node.process;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;

/** Waits for conditions that nobody announces. */
public final class Waiting {
    private static final Duration INTERVAL = Duration.ofMillis(20);

    private final InstantSource time;

    public Waiting(InstantSource time) {
        this.time = time;
    }

    /** Looks until the condition holds; false when it did not within {@code limit}. */
    public boolean until(BooleanSupplier condition, Duration limit) {
        Instant end = time.instant().plus(limit);
        while (!condition.getAsBoolean()) {
            if (!time.instant().isBefore(end)) {
                return false;
            }
            pause();
        }
        return true;
    }

    private static void pause() {
        try {
            Thread.sleep(INTERVAL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ProblemException.of(
                    ErrorCode.TIMEOUT, "waiting", "interrupted", "", "run the same command again: it goes on");
        }
    }
}
