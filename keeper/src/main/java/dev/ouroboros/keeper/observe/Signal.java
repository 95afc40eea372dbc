package dev.ouroboros.keeper.observe;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Wakes the thread that decides: raised by any thread, any number of times, until it looks. When it was not raised for long, the node is
 * at rest, and what is only looked at to be sure is looked at more rarely.
 */
public final class Signal {
    /**
     * How often is decided without a cause. What a decision depends on besides time wakes the decider, and what has been so for long
     * enough is told from what has not by seconds at most while something happens; the long times can wait for the longer tick.
     */
    private static final Duration TICK = Duration.ofSeconds(1);

    private static final Duration TICK_AT_REST = Duration.ofSeconds(5);
    private static final Duration AT_REST_AFTER = Duration.ofSeconds(30);
    private static final int LONGER_AT_REST = 5;

    private final Semaphore permits = new Semaphore(0);
    private final InstantSource clock;
    private final AtomicReference<Instant> lastRaised;
    private final List<Runnable> whenRestEnds = new CopyOnWriteArrayList<>();

    public Signal(InstantSource clock) {
        this.clock = clock;
        this.lastRaised = new AtomicReference<>(clock.instant());
    }

    public void raise() {
        Instant before = lastRaised.getAndSet(clock.instant());
        permits.release();
        if (isAtRest(before)) {
            whenRestEnds.forEach(Runnable::run);
        }
    }

    /** Returns when raised since the last call, or after {@code longest}; whether it was raised. */
    public boolean await(Duration longest) throws InterruptedException {
        boolean raised = permits.tryAcquire(longest.toMillis(), TimeUnit.MILLISECONDS);
        if (raised) {
            permits.drainPermits();
        }
        return raised;
    }

    /** @return after how long to decide again though nothing wakes the decider */
    public Duration tick() {
        return isAtRest() ? TICK_AT_REST : TICK;
    }

    /**
     * A pause between two looks, five times as long at rest. For what need not be looked at when nothing happens, or is told of by others
     * when it does: the API of pods, the probe of the API server.
     */
    Duration sparing(Duration pause) {
        return isAtRest() ? pause.multipliedBy(LONGER_AT_REST) : pause;
    }

    /**
     * Runs something each time that a rest ends.
     *
     * @param wake must be short: it runs on the thread that saw something happen
     */
    public void whenRestEnds(Runnable wake) {
        whenRestEnds.add(wake);
    }

    private boolean isAtRest() {
        return isAtRest(lastRaised.get());
    }

    private boolean isAtRest(Instant raised) {
        return clock.instant().isAfter(raised.plus(AT_REST_AFTER));
    }
}
