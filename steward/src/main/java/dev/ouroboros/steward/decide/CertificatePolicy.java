package dev.ouroboros.steward.decide;

import dev.ouroboros.model.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * The certificates' policy in {@code ControlPlane/cluster}: {@code spec.certificates}. By default they are issued again at any hour and are valid for
 * a year.
 *
 * @param isRenewing whether the steward issues them again
 * @param lifetime of one that is issued
 * @param window in which that may begin; empty for at any hour
 */
public record CertificatePolicy(boolean isRenewing, Duration lifetime, Optional<Window> window) {
    private static final Duration YEAR = Duration.ofDays(365);

    /** Hours of the day in UTC. One that ends before it begins goes over midnight; one that ends when it begins is the whole day. */
    public record Window(LocalTime from, LocalTime to) {
        boolean contains(Instant moment) {
            LocalTime time = moment.atOffset(ZoneOffset.UTC).toLocalTime();
            if (from.equals(to)) {
                return true;
            }
            boolean isAfterBegin = !time.isBefore(from);
            boolean isBeforeEnd = time.isBefore(to);
            return from.isBefore(to) ? isAfterBegin && isBeforeEnd : isAfterBegin || isBeforeEnd;
        }
    }

    static CertificatePolicy of(Json wish) {
        return new CertificatePolicy(
                !wish.at("renew").equals(Json.bool(false)),
                WishedDuration.of(wish.at("lifetime")).orElse(YEAR),
                time(wish.at("window", "from"))
                        .flatMap(from -> time(wish.at("window", "to")).map(to -> new Window(from, to))));
    }

    private static Optional<LocalTime> time(Json value) {
        try {
            return value.text().map(LocalTime::parse);
        } catch (DateTimeParseException e) {
            // The schema refuses this; a value from an older schema counts as no window.
            return Optional.empty();
        }
    }

    /**
     * Whether certificates may be issued again now.
     *
     * @param due when the first one is to be
     * @param late from when on the window is not waited for
     */
    public boolean mayBegin(Instant due, Instant late, Instant now) {
        return isRenewing
                && !due.isAfter(now)
                && (!late.isAfter(now)
                        || window.filter(hours -> !hours.contains(now)).isEmpty());
    }
}
