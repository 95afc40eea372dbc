package dev.ouroboros.etcd.decide;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Which of several snapshots stay. Each of them was verified when it was saved. The one that was saved last always stays, and so does what has a later moment in its name, of a clock that went back since: that takes
 * nobody's place.
 */
public sealed interface SnapshotRetention {
    /** All of them. */
    record All() implements SnapshotRetention {}

    /** The newest ones. */
    record Newest(int count) implements SnapshotRetention {}

    /**
     * The newest of each of the last hours, days and weeks in which one was saved, so that the older they are, the fewer are left. By UTC, weeks as ISO 8601 has them.
     *
     * @param hours how many of them
     * @param days how many of them
     * @param weeks how many of them
     */
    record Spread(int hours, int days, int weeks) implements SnapshotRetention {}

    /**
     * Those that stay.
     *
     * @param moments when each was saved
     * @param last when the one was saved that was saved last
     */
    default Set<Instant> kept(Set<Instant> moments, Instant last) {
        NavigableSet<Instant> all = new TreeSet<>(moments);
        Set<Instant> kept = new HashSet<>(all.tailSet(last, true));
        NavigableSet<Instant> sorted = all.headSet(last, true);
        switch (this) {
            case All() -> kept.addAll(sorted);
            case Newest(int count) ->
                kept.addAll(sorted.descendingSet().stream().limit(count).toList());
            case Spread(int hours, int days, int weeks) -> {
                kept.addAll(newestOfEach(sorted, hours, moment -> moment.truncatedTo(ChronoUnit.HOURS)));
                kept.addAll(newestOfEach(sorted, days, SnapshotRetention::day));
                kept.addAll(newestOfEach(sorted, weeks, SnapshotRetention::week));
            }
        }
        return kept;
    }

    private static List<Instant> newestOfEach(
            NavigableSet<Instant> moments, int periods, Function<Instant, ?> periodOf) {
        Set<Object> seen = new HashSet<>();
        return moments.descendingSet().stream()
                .filter(moment -> seen.add(periodOf.apply(moment)))
                .limit(periods)
                .collect(Collectors.toList());
    }

    private static LocalDate day(Instant moment) {
        return LocalDate.ofInstant(moment, ZoneOffset.UTC);
    }

    private static String week(Instant moment) {
        ZonedDateTime time = moment.atZone(ZoneOffset.UTC);
        return time.get(IsoFields.WEEK_BASED_YEAR) + "-" + time.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR);
    }
}
