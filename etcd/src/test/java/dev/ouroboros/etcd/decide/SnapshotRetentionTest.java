package dev.ouroboros.etcd.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.etcd.decide.SnapshotRetention.All;
import dev.ouroboros.etcd.decide.SnapshotRetention.Newest;
import dev.ouroboros.etcd.decide.SnapshotRetention.Spread;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class SnapshotRetentionTest {
    /** A Sunday. */
    private static final Instant NOW = Instant.parse("2026-11-29T15:12:00Z");

    private static Set<Instant> every(Duration interval, int count) {
        return IntStream.range(0, count)
                .mapToObj(index -> NOW.minus(interval.multipliedBy(index)))
                .collect(Collectors.toSet());
    }

    private static List<String> sorted(Set<Instant> moments) {
        return new TreeSet<>(moments).stream().map(Instant::toString).toList();
    }

    @Test
    void theNewestAlwaysStays() {
        Set<Instant> moments = every(Duration.ofHours(1), 5);

        assertThat(new Spread(0, 0, 0).kept(moments, NOW)).containsExactly(NOW);
        assertThat(new Newest(0).kept(moments, NOW)).containsExactly(NOW);
        assertThat(new Spread(24, 7, 4).kept(Set.of(), NOW)).isEmpty();
        assertThat(new All().kept(moments, NOW)).isEqualTo(moments);
    }

    @Test
    void aNumberOfThemIsTheNewest() {
        assertThat(sorted(new Newest(2).kept(every(Duration.ofHours(1), 9), NOW)))
                .containsExactly("2026-11-29T14:12:00Z", "2026-11-29T15:12:00Z");
    }

    @Test
    void theOlderTheyAreTheFewerAreLeft() {
        Set<Instant> kept = new Spread(2, 3, 2).kept(every(Duration.ofMinutes(20), 30 * 24 * 3), NOW);

        assertThat(sorted(kept))
                .containsExactly(
                        // The last of the week before, and of each of the three days.
                        "2026-11-22T23:52:00Z",
                        "2026-11-27T23:52:00Z",
                        "2026-11-28T23:52:00Z",
                        // Of the hour before.
                        "2026-11-29T14:52:00Z",
                        "2026-11-29T15:12:00Z");
    }

    @Test
    void periodsWithoutASnapshotDoNotCount() {
        Set<Instant> moments = Set.of(
                NOW, NOW.minus(Duration.ofDays(40)), NOW.minus(Duration.ofDays(90)), NOW.minus(Duration.ofDays(91)));

        assertThat(sorted(new Spread(0, 3, 0).kept(moments, NOW)))
                .containsExactly("2026-08-31T15:12:00Z", "2026-10-20T15:12:00Z", "2026-11-29T15:12:00Z");
    }

    @Test
    void whatIsKeptNowIsKeptWhenTheSameIsAskedAgain() {
        Set<Instant> moments = every(Duration.ofHours(5), 400);
        Spread retention = new Spread(24, 7, 4);
        Set<Instant> kept = retention.kept(moments, NOW);

        assertThat(retention.kept(kept, NOW)).isEqualTo(kept);
        assertThat(kept).hasSizeLessThanOrEqualTo(24 + 7 + 4);
    }

    /** Else what is saved now would be removed at once, until the clock gets there again. */
    @Test
    void snapshotsOfAClockThatWentBackTakeNobodysPlace() {
        Set<Instant> moments = new TreeSet<>(every(Duration.ofHours(1), 30));
        Set<Instant> ahead = new TreeSet<>();
        for (int hour = 1; hour < 100; hour++) {
            ahead.add(NOW.plus(Duration.ofDays(400)).plus(Duration.ofHours(hour)));
        }
        moments.addAll(ahead);
        Set<Instant> kept = new Spread(3, 0, 0).kept(moments, NOW);

        assertThat(kept).containsAll(ahead).contains(NOW).hasSize(ahead.size() + 3);
        assertThat(new Newest(1).kept(moments, NOW))
                .containsAll(ahead)
                .contains(NOW)
                .hasSize(ahead.size() + 1);
    }
}
