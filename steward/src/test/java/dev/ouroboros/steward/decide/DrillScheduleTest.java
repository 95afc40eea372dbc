package dev.ouroboros.steward.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.steward.decide.BackupReport.Drill;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class DrillScheduleTest {
    private static final Instant NOW = Instant.parse("2026-11-29T15:12:00Z");
    private static final Duration WEEK = Duration.ofDays(7);
    private static final Duration LONG = Duration.ofHours(2);

    private static boolean isDue(Optional<Drill> last, Duration running) {
        return DrillSchedule.isDue(WEEK, last, running, NOW);
    }

    private static Optional<Drill> drill(boolean isPassed, Duration ago) {
        return Optional.of(new Drill(NOW.minus(ago), "saved.db", isPassed, ""));
    }

    @Test
    void theFirstOneWaitsUntilTheNodeIsQuiet() {
        assertThat(isDue(Optional.empty(), Duration.ofMinutes(9))).isFalse();
        assertThat(isDue(Optional.empty(), Duration.ofMinutes(10))).isTrue();
        assertThat(DrillSchedule.isDue(Duration.ofMinutes(1), Optional.empty(), Duration.ofMinutes(1), NOW))
                .as("who wishes them so often does not wait")
                .isTrue();
    }

    @Test
    void theNextOneIsAnIntervalLaterAndAnHourLaterWhereItFailed() {
        assertThat(isDue(drill(true, WEEK.minusSeconds(1)), LONG)).isFalse();
        assertThat(isDue(drill(true, WEEK), LONG)).isTrue();
        assertThat(isDue(drill(false, Duration.ofMinutes(59)), LONG)).isFalse();
        assertThat(isDue(drill(false, Duration.ofHours(1)), LONG)).isTrue();
    }

    /** A clock that goes back does not end drills for good. */
    @Test
    void aDrillThatIsYetToComeCountsForNothing() {
        assertThat(isDue(drill(true, Duration.ofDays(-400)), LONG)).isTrue();
    }
}
