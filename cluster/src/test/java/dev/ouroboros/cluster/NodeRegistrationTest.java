package dev.ouroboros.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.net.NodeCidrs;
import dev.ouroboros.model.start.NodeView;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

final class NodeRegistrationTest {
    private static final Instant RESTORED = Instant.parse("2026-11-21T12:00:00Z");
    private static final String NODES = "/api/v1/nodes";
    private static final String BEFORE = "2026-11-21T11:00:00Z";

    private static String node(String name, String label, String created) {
        return """
                {"metadata": {"name": "%s", "uid": "uid-of-%1$s", "creationTimestamp": "%s", "labels": {"%s": ""}}}""".formatted(name, created, label);
    }

    private static String list(String... nodes) {
        return "{\"items\": [" + String.join(", ", nodes) + "]}";
    }

    private static NodeRegistration own(ClusterClient client, Optional<Instant> restored) {
        return new NodeRegistration(client, "own", Set.of("master"), NodeCidrs.none(), FormerLife.before(restored));
    }

    /** Their machines are gone with their etcd: nobody could delete their Nodes while no API server runs, which {@code start} waits for. */
    @Test
    void controlPlaneNodesOfAFormerLifeCountAsGoneAndAreDeleted() throws Exception {
        List<String> deleted = new CopyOnWriteArrayList<>();
        try (LoopbackApi api = new LoopbackApi();
                ClusterClient client = api.client()) {
            api.on(
                            "GET",
                            NODES,
                            200,
                            list(
                                    node("own", "master", BEFORE),
                                    node("gone", "master", BEFORE),
                                    node("worker", "pool", BEFORE),
                                    node("new", "master", "2026-11-21T12:01:00Z")))
                    .on("DELETE", NODES + "/gone", 200, node("gone", "master", BEFORE));
            api.after("DELETE", NODES + "/gone", () -> deleted.add("gone"));

            NodeRegistration registration = own(client, Optional.of(RESTORED));
            assertThat(registration.observe()).isEqualTo(Evidence.known(new NodeView(true, true, List.of("new"))));
            assertThat(registration.deleteFormer())
                    .as("a worker may live, and registers only when its kubelet starts")
                    .containsExactly("gone");
        }
        assertThat(deleted).containsExactly("gone");
    }

    @Test
    void withoutARestoreOthersCountAndStay() throws Exception {
        try (LoopbackApi api = new LoopbackApi();
                ClusterClient client = api.client()) {
            api.on("GET", NODES, 200, list(node("own", "master", BEFORE), node("other", "master", BEFORE)));

            NodeRegistration registration = own(client, Optional.empty());
            assertThat(registration.observe()).isEqualTo(Evidence.known(new NodeView(true, true, List.of("other"))));
            assertThat(registration.deleteFormer()).isEmpty();
        }
    }
}
