package dev.ouroboros.node.clock;

import java.time.Instant;
import java.time.InstantSource;

/** Time for decisions: begins with what the wall clock says, and never jumps after that. */
public final class MonotonicClock implements InstantSource {
    private final Instant begun;
    private final long begunNanos;

    /** @param begun what the wall clock says now */
    public MonotonicClock(Instant begun) {
        this.begun = begun;
        this.begunNanos = System.nanoTime();
    }

    @Override
    public Instant instant() {
        return begun.plusNanos(System.nanoTime() - begunNanos);
    }
}
