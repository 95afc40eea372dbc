package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class SignalTest {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-21T00:00:00Z"));
    private final Signal signal = new Signal(now::get);

    @Test
    void pausesAreAsTheyAreWhileSomethingHappens() {
        assertThat(signal.sparing(Duration.ofSeconds(2))).isEqualTo(Duration.ofSeconds(2));
        assertThat(signal.tick()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void pausesAreFiveTimesAsLongAtRest() {
        rest();

        assertThat(signal.sparing(Duration.ofSeconds(2))).isEqualTo(Duration.ofSeconds(10));
        assertThat(signal.tick()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void wakesOnceWhenTheRestEndsAndNobodyIsAtRestThen() {
        List<Duration> woken = new ArrayList<>();
        signal.whenRestEnds(() -> woken.add(signal.sparing(Duration.ofSeconds(2))));
        signal.raise();
        rest();

        signal.raise();
        signal.raise();

        assertThat(woken).containsExactly(Duration.ofSeconds(2));
    }

    @Test
    void isRaisedUntilSomebodyLooks() throws InterruptedException {
        signal.raise();
        signal.raise();

        assertThat(signal.await(Duration.ZERO)).isTrue();
        assertThat(signal.await(Duration.ZERO)).isFalse();
    }

    private void rest() {
        now.updateAndGet(instant -> instant.plusSeconds(31));
    }
}
