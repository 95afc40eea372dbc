package dev.ouroboros.probe;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/** Offsets since the start of a probe on the monotonic clock: the wall clock may be set while we measure. */
final class Timeline {
    private final Instant startedAt;
    private final LongSupplier nanoTime;
    private final long startedNanos;

    Timeline(InstantSource wallClock, LongSupplier nanoTime) {
        this.startedAt = wallClock.instant();
        this.nanoTime = nanoTime;
        this.startedNanos = nanoTime.getAsLong();
    }

    Instant startedAt() {
        return startedAt;
    }

    Duration now() {
        return Duration.ofNanos(nanoTime.getAsLong() - startedNanos);
    }

    LongSupplier nanoTime() {
        return nanoTime;
    }
}
