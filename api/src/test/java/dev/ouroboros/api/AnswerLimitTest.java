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
        now = now.plus(Duration.ofMinutes(3));
        limit.took(Duration.ofMillis(5));
        assertThat(limit.now()).as("the period before counts").isEqualTo(Duration.ofSeconds(8));
        now = now.plus(Duration.ofMinutes(3));
        limit.took(Duration.ofMillis(5));
        assertThat(limit.now()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void staysLongForAServerThatStaysSlow() {
        limit.took(Duration.ofSeconds(9));
        for (int minute = 0; minute < 30; minute++) {
            now = now.plus(Duration.ofMinutes(1));
            limit.took(Duration.ofSeconds(5));
            assertThat(limit.now()).isGreaterThanOrEqualTo(Duration.ofSeconds(20));
        }
    }

    /** A server that became slow at once would be given up on for ever. */
    @Test
    void doublesAfterEachThatWasGivenUp() {
        limit.took(Duration.ofMillis(100));
        limit.gaveUp();
        assertThat(limit.now()).isEqualTo(Duration.ofSeconds(6));
        limit.gaveUp();
        assertThat(limit.now()).isEqualTo(Duration.ofSeconds(12));
        limit.gaveUp();
        limit.gaveUp();
        assertThat(limit.now()).isEqualTo(Duration.ofSeconds(30));
    }

    private void isSilentAndThenAnswersAfter(Duration time) {
        limit.gaveUp();
        limit.gaveUp();
        limit.gaveUp();
        limit.took(time);
        limit.heard();
    }

    /** As of a process that was stopped and goes on: what it is asked then waits for as long as it stood still. */
    @Test
    void whatEndsASilenceIsNoSlowness() {
        limit.took(Duration.ofMillis(100));
        isSilentAndThenAnswersAfter(Duration.ofSeconds(20));
        assertThat(limit.now()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void aSecondSilenceOfLateIsASlowServers() {
        isSilentAndThenAnswersAfter(Duration.ofSeconds(10));
        now = now.plus(Duration.ofMinutes(1));
        isSilentAndThenAnswersAfter(Duration.ofSeconds(10));
        assertThat(limit.now()).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void aSilenceLongAgoIsForgotten() {
        isSilentAndThenAnswersAfter(Duration.ofSeconds(10));
        now = now.plus(Duration.ofMinutes(5));
        isSilentAndThenAnswersAfter(Duration.ofSeconds(10));
        assertThat(limit.now()).isEqualTo(Duration.ofSeconds(3));
    }

    /** The next hang is to be seen as soon as this one was. */
    @Test
    void isShortAgainAfterAServerThatHungHasAnswered() {
        limit.gaveUp();
        limit.gaveUp();
        limit.took(Duration.ofMillis(100));
        assertThat(limit.now()).as("a handshake is no answer").isEqualTo(Duration.ofSeconds(12));
        limit.heard();
        assertThat(limit.now()).isEqualTo(Duration.ofSeconds(3));
    }
}
