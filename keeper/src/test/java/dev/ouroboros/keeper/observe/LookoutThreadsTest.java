package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LookoutThreadsTest {
    @ParameterizedTest
    @CsvSource({
        "PT7.1S, PT1S, PT0.9S",
        "PT7S, PT1S, PT1S",
        "PT7.999S, PT1S, PT0.001S",
        "PT7.4S, PT3S, PT2.6S",
        "PT7.4S, PT0.3S, PT0.3S",
        "PT7.4S, PT2.5S, PT1.6S",
    })
    void wakesTogetherWithOthersAndNeverLater(Duration now, Duration pause, Duration sleep) {
        assertThat(LookoutThreads.untilBeat(now.toNanos(), pause)).isEqualTo(sleep);
    }
}
