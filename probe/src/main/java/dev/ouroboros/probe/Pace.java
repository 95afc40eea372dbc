package dev.ouroboros.probe;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A fixed rate that can be stopped. When the caller comes too late, as on a machine that stood still, the missed turns are
 * skipped: a burst would measure ourselves.
 */
final class Pace {
    private final long intervalNanos;
    private final LongSupplier nanoTime;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private long due;

    Pace(Duration interval, LongSupplier nanoTime) {
        this.intervalNanos = interval.toNanos();
        this.nanoTime = nanoTime;
        this.due = nanoTime.getAsLong();
    }

    /** Waits for the next turn; false when there is none any more. Called by one thread. */
    boolean next() {
        long now = nanoTime.getAsLong();
        long wait = due - now;
        boolean missed = -wait >= intervalNanos;
        due = (missed ? now : due) + intervalNanos;
        return !pause(wait);
    }

    /** Waits; true when stopped before or meanwhile. */
    boolean pause(Duration wait) {
        return pause(wait.toNanos());
    }

    boolean isStopped() {
        return stopped.getCount() == 0;
    }

    private boolean pause(long nanos) {
        try {
            return stopped.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    void stop() {
        stopped.countDown();
    }
}
