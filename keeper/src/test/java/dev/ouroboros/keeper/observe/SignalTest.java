package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class SignalTest {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-21T00:00:00Z"));
    private final Signal signal = new Signal(now::get);
    private final AtomicInteger looks = new AtomicInteger();
    private final Runnable sparing = signal.sparing(looks::incrementAndGet);

    @Test
    void looksEachTurnWhileSomethingHappens() {
        turns(10);

        assertThat(looks).hasValue(10);
        assertThat(signal.tick()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void looksEveryFifthTurnAtRest() {
        rest();

        turns(10);

        assertThat(looks).hasValue(2);
        assertThat(signal.tick()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void looksAtTheNextTurnWhenTheRestEnds() {
        rest();
        turns(7);

        signal.raise();
        turns(1);

        assertThat(looks).hasValue(2);
        assertThat(signal.tick()).isEqualTo(Duration.ofSeconds(1));
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

    private void turns(int count) {
        for (int turn = 0; turn < count; turn++) {
            sparing.run();
        }
    }
}
