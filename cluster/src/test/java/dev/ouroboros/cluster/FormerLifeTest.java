package dev.ouroboros.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.core.problem.ProblemException;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodListBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
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

    /** Found by the simulator: the wall clock jumped back, and start took the pods that it had just made for those of before, for ever. */
    @Test
    void endsWithTheDeletionOfItsPods() throws Exception {
        FormerLife former = FormerLife.before(Optional.of(RESTORED));
        List<String> deleted = new CopyOnWriteArrayList<>();
        String pods = "/api/v1/namespaces/kube-system/pods";
        Pod old = new PodBuilder(createdAt("2026-11-21T11:59:59Z"))
                .editMetadata()
                .withNamespace("kube-system")
                .withUid("u-1")
                .endMetadata()
                .build();
        try (LoopbackApi api = new LoopbackApi()) {
            String list =
                    Serialization.asJson(new PodListBuilder().withItems(old).build());
            api.on("GET", pods, 200, list).on("DELETE", pods + "/pod", 200, Serialization.asJson(old));
            api.after("DELETE", pods + "/pod", () -> deleted.add("pod"));
            try (ClusterClient client = api.client()) {
                former.deletePods(client);
                former.deletePods(client);
            }
        }
        assertThat(deleted).containsExactly("pod");
        assertThat(former.includes(old)).as("before a watch tells of it").isTrue();
        assertThat(former.includes(createdAt("2026-11-21T11:00:00Z"))).isFalse();
        assertThat(former.was()).isTrue();
        assertThat(FormerLife.withoutPods(RESTORED).includes(createdAt("2026-11-21T11:00:00Z")))
                .isFalse();
    }

    @Test
    void stillHasItsPodsWhenTheyCouldNotBeDeleted() throws Exception {
        FormerLife former = FormerLife.before(Optional.of(RESTORED));
        try (LoopbackApi api = new LoopbackApi();
                ClusterClient client = api.client()) {
            api.refuse("GET", "/api/v1/namespaces/kube-system/pods", 503, "not now");
            assertThatThrownBy(() -> former.deletePods(client)).isInstanceOf(ProblemException.class);
        }
        assertThat(former.includes(createdAt("2026-11-21T11:59:59Z"))).isTrue();
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
