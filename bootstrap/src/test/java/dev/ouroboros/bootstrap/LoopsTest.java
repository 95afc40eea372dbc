package dev.ouroboros.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LoopsTest {
    @ParameterizedTest
    @CsvSource({"4, 100, 100", "50, 100, 1000", "400, 100, 3000", "3000, 100, 3000", "20, 5000, 5000"})
    void aLookThatTakesLongIsTakenLessOften(long look, long interval, long pause) {
        assertThat(Loops.pauseAfter(Duration.ofMillis(look), Duration.ofMillis(interval)))
                .isEqualTo(Duration.ofMillis(pause));
    }
}
