package dev.ouroboros.status.view;

import java.time.Duration;
import java.time.Instant;

/** Durations as kubectl shortens them: {@code 45s}, {@code 3m}, {@code 2h}, {@code 12d}. */
final class Age {
    private static final int MANY = 2;

    private Age() {}

    static String between(Instant earlier, Instant later) {
        return of(Duration.between(earlier, later));
    }

    /** How long ago something was; a moment that is yet to come, by another clock, counts as now. */
    static String since(Instant earlier, Instant now) {
        return between(earlier.isAfter(now) ? now : earlier, now);
    }

    static String of(Duration duration) {
        if (duration.isNegative()) {
            return "-" + of(duration.negated());
        }
        if (duration.compareTo(Duration.ofMinutes(MANY)) < 0) {
            return duration.toSeconds() + "s";
        }
        if (duration.compareTo(Duration.ofHours(MANY)) < 0) {
            return duration.toMinutes() + "m";
        }
        return duration.compareTo(Duration.ofDays(MANY)) < 0 ? duration.toHours() + "h" : duration.toDays() + "d";
    }
}
