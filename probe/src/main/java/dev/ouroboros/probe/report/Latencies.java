package dev.ouroboros.probe.report;

import java.time.Duration;

/** How long answered requests took; all zero when none was answered. */
public record Latencies(Duration p50, Duration p99, Duration max) {
    public static final Latencies NONE = new Latencies(Duration.ZERO, Duration.ZERO, Duration.ZERO);

    /** Nearest-rank percentiles: each is one of the measured values. */
    static Latencies ofSorted(long[] sortedNanos) {
        if (sortedNanos.length == 0) {
            return NONE;
        }
        return new Latencies(rank(sortedNanos, 50), rank(sortedNanos, 99), rank(sortedNanos, 100));
    }

    private static Duration rank(long[] sortedNanos, int percent) {
        long rank = (sortedNanos.length * (long) percent + 99) / 100;
        return Duration.ofNanos(sortedNanos[(int) Math.max(0, rank - 1)]);
    }
}
