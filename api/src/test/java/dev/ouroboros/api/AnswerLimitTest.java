package dev.ouroboros.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class AnswerLimitTest {
    private Instant now = Instant.EPOCH;
    private final AnswerLimit limit = new AnswerLimit(() -> now);

    @Test
    void isShortWhereAnswersComeAtOnce() {
        assertThat(limit.now()).isEqualTo(Duration.ofSeconds(3));
        limit.took(Duration.ofMillis(5));
        assertThat(limit.now()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void growsWithTheSlowestAnswerUpToHalfAMinute() {
        limit.took(Duration.ofSeconds(2));
        limit.took(Duration.ofMillis(5));
        assertThat(limit.now()).isEqualTo(Duration.ofSeconds(8));
        limit.took(Duration.ofSeconds(9));
        assertThat(limit.now()).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void forgetsThatAServerWasSlow() {
        limit.took(Duration.ofSeconds(2));
        now = now.plus(Duration.ofMinutes(5)).plusSeconds(1);
        assertThat(limit.now()).isEqualTo(Duration.ofSeconds(3));
        limit.took(Duration.ofMillis(5));
        assertThat(limit.now()).isEqualTo(Duration.ofSeconds(3));
    }
}
