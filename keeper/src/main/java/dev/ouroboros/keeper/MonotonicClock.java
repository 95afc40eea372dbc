package dev.ouroboros.keeper;

import java.time.Instant;
import java.time.InstantSource;

/** Time for decisions: begins with what the wall clock says, and never jumps after that. */
final class MonotonicClock implements InstantSource {
    private final Instant begun;
    private final long begunNanos;

    MonotonicClock(Instant begun) {
        this.begun = begun;
        this.begunNanos = System.nanoTime();
    }

    @Override
    public Instant instant() {
        return begun.plusNanos(System.nanoTime() - begunNanos);
    }
}
