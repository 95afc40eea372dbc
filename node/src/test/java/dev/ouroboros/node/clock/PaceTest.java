package dev.ouroboros.node.clock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PaceTest {
    @ParameterizedTest
    @CsvSource({"4, 100, 100", "50, 100, 1000", "400, 100, 3000", "3000, 100, 3000", "20, 5000, 5000"})
    void aLookThatTakesLongIsTakenLessOften(long look, long shortest, long pause) {
        Pace pace = new Pace(20, Duration.ofMillis(shortest), Duration.ofSeconds(3));

        assertThat(pace.pauseAfter(Duration.ofMillis(look))).isEqualTo(Duration.ofMillis(pause));
    }
}
