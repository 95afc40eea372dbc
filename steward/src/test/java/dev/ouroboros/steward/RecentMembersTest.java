package dev.ouroboros.steward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class RecentMembersTest {
    private static final EtcdCluster NOBODY =
            new EtcdCluster(List.of(), new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), Evidence.known(List.of()));

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
    private final AtomicInteger looks = new AtomicInteger();

    @Test
    void oneLookServesATurn() {
        RecentMembers members = new RecentMembers(
                () -> {
                    looks.incrementAndGet();
                    return NOBODY;
                },
                now::get);
        assertThat(members.get()).isEqualTo(NOBODY);
        now.set(Instant.EPOCH.plusSeconds(4));
        assertThat(members.get()).isEqualTo(NOBODY);
        assertThat(looks).hasValue(1);
        now.set(Instant.EPOCH.plusSeconds(5));
        members.get();
        assertThat(looks).hasValue(2);
    }

    /** Nobody who is asked for a second time in a turn waits once more for those that are off. */
    @Test
    void thatNobodyAnsweredIsRememberedToo() {
        RecentMembers members = new RecentMembers(
                () -> {
                    looks.incrementAndGet();
                    throw ProblemException.of(ErrorCode.ETCD_UNAVAILABLE, "etcd", "is off", "", "boot it");
                },
                now::get);
        for (int asked = 0; asked < 2; asked++) {
            assertThatThrownBy(members::get).isInstanceOf(ProblemException.class);
        }
        assertThat(looks).hasValue(1);
    }
}
