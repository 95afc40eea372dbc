package dev.ouroboros.probe.report;

import java.time.Duration;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a writer was told with what a watcher saw. The writer writes one number after the other and begins the next only
 * when the one before is acknowledged or given up, so numbers reach the API in their order.
 *
 * <p>Not thread-safe: one owner tells it.
 */
public final class WatchJournal {
    /** An observation later than this after the acknowledgement is late. */
    public static final Duration LATE = Duration.ofSeconds(1);

    private static final long NOTHING = -1;

    private final NavigableMap<Long, Duration> pending = new TreeMap<>();
    private long acknowledged;
    private long observed;
    private long coalesced;
    private long missed;
    private long late;
    private long wentBack;
    private long connections;
    private long lastAcknowledged = NOTHING;
    private long lastObserved = NOTHING;
    private Duration longestDelay = Duration.ZERO;
    private Duration longestGap = Duration.ZERO;
    private @Nullable Duration disconnectedAt;

    /** How a number was observed. */
    public enum Source {
        LIST,
        WATCH
    }

    public void acknowledged(long number, Duration at) {
        if (number <= lastAcknowledged) {
            throw new IllegalArgumentException(number + " was acknowledged after " + lastAcknowledged);
        }
        acknowledged++;
        lastAcknowledged = number;
        if (number > lastObserved) {
            pending.put(number, at);
        }
    }

    public void observed(long number, Source source, Duration at) {
        if (number == lastObserved) {
            return;
        }
        observed++;
        if (number < lastObserved) {
            wentBack++;
            lastObserved = number;
            return;
        }
        lastObserved = number;
        Duration own = pending.remove(number);
        if (own != null) {
            delayed(at.minus(own));
        }
        NavigableMap<Long, Duration> skipped = pending.headMap(number, false);
        switch (source) {
            case LIST -> coalesced += skipped.size();
            case WATCH -> missed += skipped.size();
        }
        skipped.clear();
    }

    private void delayed(Duration delay) {
        longestDelay = delay.compareTo(longestDelay) > 0 ? delay : longestDelay;
        if (delay.compareTo(LATE) > 0) {
            late++;
        }
    }

    public void connected(Duration at) {
        connections++;
        gapUntil(at);
        disconnectedAt = null;
    }

    public void disconnected(Duration at) {
        if (disconnectedAt == null) {
            disconnectedAt = at;
        }
    }

    private void gapUntil(Duration at) {
        if (disconnectedAt != null && at.minus(disconnectedAt).compareTo(longestGap) > 0) {
            longestGap = at.minus(disconnectedAt);
        }
    }

    /** Whether everything acknowledged was observed. */
    public boolean caughtUp() {
        return pending.isEmpty();
    }

    /** Whether an acknowledged write has been waiting for its observation for longer than {@code limit}. */
    public boolean stalled(Duration now, Duration limit) {
        return !pending.isEmpty() && now.minus(pending.firstEntry().getValue()).compareTo(limit) > 0;
    }

    public WatchReport report(OptionalLong stored, Duration end) {
        gapUntil(end);
        return new WatchReport(
                acknowledged,
                observed,
                coalesced,
                missed,
                late,
                wentBack,
                pending.size(),
                longestDelay,
                connections,
                longestGap,
                lastAcknowledged == NOTHING ? OptionalLong.empty() : OptionalLong.of(lastAcknowledged),
                stored);
    }
}
