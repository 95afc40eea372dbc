package dev.ouroboros.keeper.observe;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
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

    @ParameterizedTest
    @CsvSource({"PT0.05S, PT1S, PT1S", "PT3S, PT1S, PT3S", "PT45S, PT1S, PT5S", "PT3S, PT15S, PT15S"})
    void aCostlyLookThatTakesSecondsIsNotTakenAllTheTime(Duration took, Duration pause, Duration longer) {
        assertThat(LookoutThreads.afterCostly(took, pause)).isEqualTo(longer);
    }

    @Test
    void looksAtOnceWhenTheRestEnds() throws InterruptedException {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-23T00:00:00Z"));
        Signal changed = new Signal(now::get);
        AtomicInteger looks = new AtomicInteger();
        try (LookoutThreads lookouts = new LookoutThreads(changed)) {
            lookouts.repeatAndWhenRestEnds("test", () -> {
                looks.incrementAndGet();
                return Duration.ofHours(1);
            });
            eventually("a look", () -> looks.get() == 1);
            now.updateAndGet(instant -> instant.plusSeconds(31));

            changed.raise();

            eventually("another look", () -> looks.get() == 2);
        }
    }

    @Test
    void looksAgainWhenTheRestEndsDuringALook() throws InterruptedException {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-23T00:00:00Z"));
        Signal changed = new Signal(now::get);
        AtomicInteger looks = new AtomicInteger();
        try (LookoutThreads lookouts = new LookoutThreads(changed)) {
            lookouts.repeatAndWhenRestEnds("test", () -> {
                if (looks.incrementAndGet() == 1) {
                    now.updateAndGet(instant -> instant.plusSeconds(31));
                    changed.raise();
                }
                return Duration.ofHours(1);
            });

            eventually("another look", () -> looks.get() == 2);
        }
    }
}
