package dev.ouroboros.model.leader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.component.Component;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class LeaseWatchTest {
    private static final Instant NOW = Instant.parse("2026-11-27T00:00:00Z");

    /** The holder's clock is a day behind: it is never compared with ours. */
    private static Optional<LeaderLease> lease(String holder, int renewed) {
        Instant its = NOW.minus(Duration.ofDays(1));
        return Optional.of(new LeaderLease(Component.SCHEDULER, holder, its, its.plusSeconds(renewed)));
    }

    private static Instant at(int seconds) {
        return NOW.plusSeconds(seconds);
    }

    @Test
    void oneLookProvesNothing() {
        assertThat(LeaseWatch.NONE.after(lease("a", 0), at(0)).isRenewed(at(0))).isFalse();
    }

    @Test
    void whoWritesIsAliveUntilItHasBeenSilentForALeasesTime() {
        LeaseWatch watch = LeaseWatch.NONE.after(lease("a", 0), at(0)).after(lease("a", 2), at(5));

        assertThat(watch.isRenewed(at(5))).isTrue();
        assertThat(watch.after(lease("a", 2), at(10)).isRenewed(at(19))).isTrue();
        assertThat(watch.after(lease("a", 2), at(10)).isRenewed(at(20))).isFalse();
    }

    @Test
    void anotherHolderBeginsAnew() {
        LeaseWatch watch = LeaseWatch.NONE
                .after(lease("a", 0), at(0))
                .after(lease("a", 2), at(5))
                .after(lease("b", 4), at(10));

        assertThat(watch.isRenewed(at(10))).isFalse();
        assertThat(watch.after(lease("b", 6), at(15)).isRenewedFor(Duration.ofSeconds(1), at(15)))
                .isFalse();
    }

    @Test
    void lastsAsLongAsTheSameOneRenewsWithoutAPause() {
        LeaseWatch watch = LeaseWatch.NONE.after(lease("a", 0), at(0));
        for (int second = 5; second <= 65; second += 5) {
            watch = watch.after(lease("a", second), at(second));
        }
        assertThat(watch.isRenewedFor(Duration.ofSeconds(60), at(65))).isTrue();

        LeaseWatch after = watch.after(lease("a", 65), at(70)).after(lease("a", 90), at(90));
        assertThat(after.isRenewed(at(90))).isTrue();
        assertThat(after.isRenewedFor(Duration.ofSeconds(10), at(95)))
                .as("it was silent for longer than a Lease lasts")
                .isFalse();
    }

    @Test
    void nobodyHoldsItIsNobodyAlive() {
        LeaseWatch watch = LeaseWatch.NONE
                .after(lease("a", 0), at(0))
                .after(lease("a", 2), at(5))
                .after(Optional.empty(), at(6));

        assertThat(watch.isRenewed(at(6))).isFalse();
    }
}
