package dev.ouroboros.host;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;

/** Waits for what nobody announces. */
record Patience(InstantSource time) {
    private static final Duration INTERVAL = Duration.ofMillis(100);

    /** Looks until the condition holds; false when it did not within {@code limit}. */
    boolean until(BooleanSupplier condition, Duration limit) {
        Instant end = time.instant().plus(limit);
        while (!condition.getAsBoolean()) {
            if (time.instant().isAfter(end)) {
                return false;
            }
            try {
                Thread.sleep(INTERVAL);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ProblemException(
                        new Problem(ErrorCode.TIMEOUT, "ouro host", "interrupted", "", "run this again: it goes on"),
                        e);
            }
        }
        return true;
    }
}
