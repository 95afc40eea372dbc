package dev.ouroboros.node.action;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Wakes the thread that decides: raised by any thread, any number of times, until it looks. */
public final class Wakeup {
    private final Semaphore permits = new Semaphore(0);

    public void raise() {
        permits.release();
    }

    /** Returns when raised since the last call. */
    public void await() throws InterruptedException {
        permits.acquire();
        permits.drainPermits();
    }

    /** Returns when raised since the last call, or after {@code longest}; whether it was raised. */
    public boolean await(Duration longest) throws InterruptedException {
        boolean raised = permits.tryAcquire(longest.toMillis(), TimeUnit.MILLISECONDS);
        if (raised) {
            permits.drainPermits();
        }
        return raised;
    }
}
