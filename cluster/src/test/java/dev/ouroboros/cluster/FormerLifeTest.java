package dev.ouroboros.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class FormerLifeTest {
    private static final Instant RESTORED = Instant.parse("2026-11-21T12:00:00.500Z");

    private static Pod createdAt(String moment) {
        return new PodBuilder()
                .withNewMetadata()
                .withName("pod")
                .withCreationTimestamp(moment)
                .endMetadata()
                .build();
    }

    @Test
    void includesWhatWasCreatedBeforeTheRestore() {
        FormerLife former = FormerLife.before(Optional.of(RESTORED));
        assertThat(former.includes(createdAt("2026-11-21T11:59:59Z"))).isTrue();
        assertThat(former.includes(createdAt("2026-11-21T12:00:01Z"))).isFalse();
    }

    /** API servers cut off fractions of a second: what may have been created after the restore stays. */
    @Test
    void leavesWhatMayBeOfThisLife() {
        assertThat(FormerLife.before(Optional.of(RESTORED)).includes(createdAt("2026-11-21T12:00:00Z")))
                .isFalse();
    }

    @Test
    void withoutARestoreThereIsNone() {
        assertThat(FormerLife.before(Optional.empty()).includes(createdAt("2020-01-01T00:00:00Z")))
                .isFalse();
    }

    @Test
    void aPodWithoutATimeIsNotCondemned() {
        Pod pod =
                new PodBuilder().withNewMetadata().withName("pod").endMetadata().build();
        assertThat(FormerLife.before(Optional.of(RESTORED)).includes(pod)).isFalse();
    }
}
