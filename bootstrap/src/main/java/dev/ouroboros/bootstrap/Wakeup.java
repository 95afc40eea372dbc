package dev.ouroboros.bootstrap;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Wakes the thread that decides: raised by any thread, any number of times, until it looks. */
final class Wakeup {
    private final Semaphore permits = new Semaphore(0);

    void raise() {
        permits.release();
    }

    /** Returns when raised since the last call. */
    void await() throws InterruptedException {
        permits.acquire();
        permits.drainPermits();
    }

    /** Returns when raised since the last call, or after {@code longest}. */
    void await(Duration longest) throws InterruptedException {
        if (permits.tryAcquire(longest.toMillis(), TimeUnit.MILLISECONDS)) {
            permits.drainPermits();
        }
    }
}
