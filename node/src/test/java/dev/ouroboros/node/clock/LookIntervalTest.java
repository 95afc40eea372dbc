package dev.ouroboros.node.clock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LookIntervalTest {
    @ParameterizedTest
    @CsvSource({"4, 100, 100", "50, 100, 1000", "400, 100, 3000", "3000, 100, 3000", "20, 5000, 5000"})
    void aLookThatTakesLongIsTakenLessOften(long look, long shortest, long pause) {
        LookInterval pauses = new LookInterval(20, Duration.ofMillis(shortest), Duration.ofSeconds(3));

        assertThat(pauses.pauseAfter(Duration.ofMillis(look))).isEqualTo(Duration.ofMillis(pause));
    }

    @ParameterizedTest
    @CsvSource({"4, 0, 100", "3000, 500, 100", "3000, 5000, 500", "10, 5000, 200", "3000, 60000, 3000"})
    void aChangeIsSeenATenthLaterThanItCameAtMost(long look, long unchanged, long pause) {
        LookInterval pauses = new LookInterval(20, Duration.ofMillis(100), Duration.ofSeconds(3));

        assertThat(pauses.pauseAfter(Duration.ofMillis(look), Duration.ofMillis(unchanged)))
                .isEqualTo(Duration.ofMillis(pause));
    }
}
