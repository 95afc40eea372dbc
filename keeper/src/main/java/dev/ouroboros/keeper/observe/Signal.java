package dev.ouroboros.keeper.observe;

import dev.ouroboros.node.action.Wakeup;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Wakes the thread that decides: raised by any thread, any number of times, until it looks. When it was not raised for long, the node is
 * at rest, and what is looked at only for safety is looked at more rarely.
 */
public final class Signal {
    /**
     * How often the keeper decides without being woken. Everything that a decision depends on, except time, wakes the decider. While
     * something happens, whether a state has lasted long enough is a matter of seconds; longer durations can wait for the longer
     * tick.
     */
    private static final Duration TICK = Duration.ofSeconds(1);

    private static final Duration TICK_AT_REST = Duration.ofSeconds(5);
    /** A process that did not decide for so long got no processor meanwhile: twice the longest time between two decisions. */
    public static final Duration STOOD_STILL = TICK_AT_REST.multipliedBy(2);

    /** Nothing is begun any more on a decision of so long ago: at rest the next one comes a second sooner. */
    public static final Duration DECISION_IS_OLD = TICK_AT_REST.plusSeconds(1);

    private static final Duration AT_REST_AFTER = Duration.ofSeconds(30);
    private static final int LONGER_AT_REST = 5;

    private final Wakeup wakeup = new Wakeup();
    private final InstantSource clock;
    private final AtomicReference<Instant> lastRaised;
    private final List<Runnable> whenRestEnds = new CopyOnWriteArrayList<>();

    public Signal(InstantSource clock) {
        this.clock = clock;
        this.lastRaised = new AtomicReference<>(clock.instant());
    }

    public void raise() {
        Instant before = lastRaised.getAndSet(clock.instant());
        wakeup.raise();
        if (isAtRest(before)) {
            whenRestEnds.forEach(Runnable::run);
        }
    }

    /** Returns when raised since the last call, or after {@code longest}; whether it was raised. */
    public boolean await(Duration longest) throws InterruptedException {
        return wakeup.await(longest);
    }

    /** @return after how long to decide again though nothing wakes the decider */
    public Duration tick() {
        return isAtRest() ? TICK_AT_REST : TICK;
    }

    /**
     * A pause between two looks, five times as long at rest. For sources that need no look when nothing happens, or whose changes another
     * source reports: the API those of pods, the probe those of the API server.
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
