package dev.ouroboros.keeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.KeeperState;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class StandstillTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    private final KeeperState remembered = new KeeperState(
            KeeperState.initial().components(),
            Optional.of(BEGIN),
            Optional.empty(),
            true,
            KeeperState.initial().change());
    private final Standstill standstill = new Standstill(BEGIN);

    private KeeperState after(long seconds) {
        return standstill.awaken(remembered, BEGIN.plusSeconds(seconds));
    }

    @Test
    void nothingIsNoticedOfDecisionsThatAreDue() {
        for (long second = 5; second <= 60; second += 5) {
            assertThat(after(second)).isSameAs(remembered);
            assertThat(standstill.looksOn()).isFalse();
        }
    }

    /** Seed 1030: a principal was deleted under an understudy that had been killed meanwhile. */
    @Test
    void whoStoodStillForgetsAndLooksOnUntilEverythingWasLookedAtAgain() {
        assertThat(after(99)).isEqualTo(KeeperState.initial(true));
        assertThat(standstill.looksOn()).isTrue();
        assertThat(after(100)).isSameAs(remembered);
        assertThat(standstill.looksOn()).isTrue();
        after(104);
        assertThat(standstill.looksOn()).isFalse();
    }

    /** Seed 14622: a controller manager that had been scaled to none meanwhile was lent an understudy. */
    @Test
    void whoIsStoppedAgainWhileItLooksOnBeginsToLookOnAnew() {
        after(20);
        after(22);
        assertThat(standstill.looksOn()).isTrue();
        assertThat(after(300)).isEqualTo(KeeperState.initial(true));
        assertThat(standstill.looksOn()).isTrue();
        after(304);
        assertThat(standstill.looksOn()).isTrue();
        after(305);
        assertThat(standstill.looksOn()).isFalse();
    }

    /** Where each decision is late none would ever be carried out. */
    @Test
    void whoIsAlwaysLateActsEverySecondTime() {
        after(20);
        assertThat(standstill.looksOn()).isTrue();
        after(40);
        assertThat(standstill.looksOn()).isFalse();
        after(60);
        assertThat(standstill.looksOn()).isTrue();
        after(80);
        assertThat(standstill.looksOn()).isFalse();
    }
}
