package dev.ouroboros.steward.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.steward.decide.BackupSchedule.Past;
import dev.ouroboros.steward.decide.BackupSchedule.Turn;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class BackupScheduleTest {
    private static final Instant NOW = Instant.parse("2026-11-29T15:12:00Z");
    private static final Set<String> THREE = Set.of("c", "a", "b");

    private static BackupPolicy every(Duration interval) {
        return new BackupPolicy(interval, 2, new SnapshotRetention.Spread(24, 7, 4), Optional.empty(), false);
    }

    private static Turn turn(String node, Set<String> ready, Past past) {
        return BackupSchedule.turn(every(Duration.ofHours(1)), node, ready, past, NOW);
    }

    private static Past saved(Duration ago) {
        return Past.of(Optional.of(NOW.minus(ago)));
    }

    private static Past failed(Duration ago) {
        return new Past(Optional.empty(), Optional.of(NOW.minus(ago)), Optional.of(ago));
    }

    @Test
    void theFirstSnapshotIsDueAtOnce() {
        assertThat(turn("a", THREE, Past.of(Optional.empty()))).isEqualTo(new Turn.Due());
    }

    @Test
    void theNextOneIsDueAfterTheInterval() {
        assertThat(turn("a", THREE, saved(Duration.ofMinutes(59)))).isEqualTo(new Turn.Waits());
        assertThat(turn("a", THREE, saved(Duration.ofMinutes(60)))).isEqualTo(new Turn.Due());
    }

    @Test
    void asManyNodesAsAreWishedSaveThem() {
        assertThat(turn("b", THREE, Past.of(Optional.empty()))).isEqualTo(new Turn.Due());
        assertThat(turn("c", THREE, Past.of(Optional.empty()))).isEqualTo(new Turn.NotHere());
    }

    @Test
    void theNextNodeTakesOverWhileOneIsAway() {
        assertThat(turn("c", Set.of("b", "c"), Past.of(Optional.empty()))).isEqualTo(new Turn.Due());
        assertThat(BackupSchedule.savers(List.of(), 2)).isEmpty();
    }

    @Test
    void whatFailedIsTriedAgainSoonAndNotAtOnce() {
        assertThat(turn("a", THREE, failed(Duration.ofMinutes(4)))).isEqualTo(new Turn.Waits());
        assertThat(turn("a", THREE, failed(Duration.ofMinutes(5)))).isEqualTo(new Turn.Due());
        assertThat(BackupSchedule.turn(every(Duration.ofMinutes(1)), "a", THREE, failed(Duration.ofMinutes(1)), NOW))
                .isEqualTo(new Turn.Due());
    }

    /** An earlier snapshot does not make a failure good. */
    @Test
    void whatFailedIsTriedAgainThoughAnEarlierOneIsThere() {
        Past past =
                new Past(Optional.of(NOW.minusSeconds(60)), Optional.of(NOW.minusSeconds(600)), Optional.of(RETRIED));

        assertThat(turn("a", THREE, past)).isEqualTo(new Turn.Due());
    }

    private static final Duration RETRIED = BackupSchedule.RETRY;

    @Test
    void aClockThatWentBackNeitherStopsThemNorFillsTheDisk() {
        assertThat(turn("a", THREE, saved(Duration.ofDays(-30)))).isEqualTo(new Turn.Due());
        assertThat(turn(
                        "a",
                        THREE,
                        new Past(
                                Optional.of(NOW.plus(Duration.ofDays(30))),
                                Optional.empty(),
                                Optional.of(Duration.ofMinutes(1)))))
                .isEqualTo(new Turn.Waits());
    }
}
