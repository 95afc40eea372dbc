package dev.ouroboros.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.problem.ProblemException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

final class FormerLifeTest {
    private static final Instant RESTORED = Instant.parse("2026-11-21T12:00:00.500Z");

    private static Json pod(String metadata) throws Exception {
        return JsonText.read("{\"metadata\": {\"name\": \"pod\", \"namespace\": \"kube-system\", " + metadata + "}}");
    }

    private static Json createdAt(String moment) throws Exception {
        return pod("\"uid\": \"u-" + moment + "\", \"creationTimestamp\": \"" + moment + "\"");
    }

    @Test
    void includesWhatWasCreatedBeforeTheRestore() throws Exception {
        FormerLife former = FormerLife.before(Optional.of(RESTORED));
        assertThat(former.includes(createdAt("2026-11-21T11:59:59Z"))).isTrue();
        assertThat(former.includes(createdAt("2026-11-21T12:00:01Z"))).isFalse();
    }

    /** API servers cut off fractions of a second: what may have been created after the restore stays. */
    @Test
    void leavesWhatMayBeOfThisLife() throws Exception {
        assertThat(FormerLife.before(Optional.of(RESTORED)).includes(createdAt("2026-11-21T12:00:00Z")))
                .isFalse();
    }

    /** Found by the simulator: the wall clock jumped back, and start took the pods that it had just made for those of before, for ever. */
    @Test
    void endsWithTheDeletionOfItsPods() throws Exception {
        FormerLife former = FormerLife.before(Optional.of(RESTORED));
        List<String> deleted = new CopyOnWriteArrayList<>();
        String pods = "/api/v1/namespaces/kube-system/pods";
        Json old = createdAt("2026-11-21T11:59:59Z");
        String text = new String(JsonText.write(old), StandardCharsets.UTF_8);
        try (LoopbackApi api = new LoopbackApi()) {
            api.on("GET", pods, 200, "{\"items\": [" + text + "]}").on("DELETE", pods + "/pod", 200, text);
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
    void withoutARestoreThereIsNone() throws Exception {
        assertThat(FormerLife.before(Optional.empty()).includes(createdAt("2020-01-01T00:00:00Z")))
                .isFalse();
    }

    @Test
    void aPodWithoutATimeIsNotCondemned() throws Exception {
        assertThat(FormerLife.before(Optional.of(RESTORED)).includes(pod("\"uid\": \"u-1\"")))
                .isFalse();
    }
}
