package dev.ouroboros.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PaceTest {
    private final AtomicLong now = new AtomicLong(1_000_000_000);
    private final Pace pace = new Pace(Duration.ofMillis(50), now::get);

    @Test
    void givesOneTurnForEachIntervalThatPassed() {
        assertThat(pace.next()).isTrue();
        now.addAndGet(50_000_000);
        assertThat(pace.next()).isTrue();
    }

    @Test
    void skipsTurnsThatWereMissedInsteadOfCatchingUp() {
        assertThat(pace.next()).isTrue();
        now.addAndGet(10_000_000_000L);
        assertThat(pace.next()).isTrue();
        long before = System.nanoTime();
        assertThat(pace.next()).isTrue();
        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(49_000_000);
    }

    @Test
    void givesNoTurnOnceItIsStopped() {
        pace.stop();
        assertThat(pace.next()).isFalse();
        assertThat(pace.isStopped()).isTrue();
    }
}
