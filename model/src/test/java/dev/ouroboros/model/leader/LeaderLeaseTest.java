package dev.ouroboros.model.leader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class LeaderLeaseTest {
    private static Json.Fields lease(String holder, String acquired) {
        return Json.object()
                .with("metadata", Json.object().with("resourceVersion", Json.text("7")))
                .with(
                        "spec",
                        Json.object()
                                .with("holderIdentity", Json.text(holder))
                                .with("leaseDurationSeconds", Json.number(15))
                                .with("acquireTime", Json.text(acquired))
                                .with("renewTime", Json.text("2026-01-01T00:00:09.000001Z")));
    }

    @Test
    void readsWhatClientGoWrites() {
        assertThat(LeaderLease.of(Component.SCHEDULER, lease("a_b_3f-9c", "2026-01-01T00:00:00.000000Z")))
                .hasValueSatisfying(held -> {
                    assertThat(held.isOf("A_b")).isTrue();
                    assertThat(held.isOf("a")).isFalse();
                    assertThat(held.acquired()).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
                });
    }

    @Test
    void nobodyHoldsWhatHasNoHolderOrNoTime() {
        assertThat(LeaderLease.of(Component.SCHEDULER, lease("", "2026-01-01T00:00:00.000000Z")))
                .isEmpty();
        assertThat(LeaderLease.of(Component.SCHEDULER, lease("a_3f", "yesterday")))
                .isEmpty();
        assertThat(LeaderLease.of(Component.SCHEDULER, Json.object())).isEmpty();
    }

    @Test
    void aReleasedOneIsHeldByNobodyAndKeepsItsVersion() {
        Json released = LeaderLease.released(lease("a_3f", "2026-01-01T00:00:00.000000Z"));

        assertThat(LeaderLease.of(Component.SCHEDULER, released)).isEmpty();
        assertThat(released.at("metadata", "resourceVersion").text()).contains("7");
        assertThat(released.at("spec", "leaseDurationSeconds").integer()).hasValue(1);
    }
}
