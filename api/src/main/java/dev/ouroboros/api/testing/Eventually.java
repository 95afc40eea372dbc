package dev.ouroboros.api.testing;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for a condition, not for a time. */
public final class Eventually {
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private Eventually() {}

    public static void eventually(String what, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + LONGEST.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within " + LONGEST.toSeconds() + " s: " + what);
            }
            Thread.sleep(10);
        }
    }
}
