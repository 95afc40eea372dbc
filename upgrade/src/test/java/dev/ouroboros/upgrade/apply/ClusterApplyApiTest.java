package dev.ouroboros.upgrade.apply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.Metadata;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.upgrade.decide.RoleMove;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ClusterApplyApiTest {
    private static final String OLD = "node-role.kubernetes.io/master";
    private static final String NEW = "node-role.kubernetes.io/control-plane";

    @Test
    void whoHasTheOldRoleGetsTheNewOneOnceAndNobodyElseDoes() throws Exception {
        try (FakeApiServer server = new FakeApiServer(new TestAuthority());
                ClusterClient client = ClusterClient.connect(Endpoint.of(
                        server.uri(), List.of(server.authority().certificate()), Optional.empty(), Optional.empty()))) {
            node(server, "n1", OLD);
            node(server, "n2", OLD, NEW);
            node(server, "worker", "disk");
            ApplyApi api = new ClusterApplyApi(client);

            api.label(new RoleMove(Set.of(OLD), Set.of(NEW)));
            api.label(new RoleMove(Set.of(OLD), Set.of(NEW)));

            assertThat(labels(server, "n1")).containsExactlyInAnyOrder(OLD, NEW);
            assertThat(labels(server, "n2")).containsExactlyInAnyOrder(OLD, NEW);
            assertThat(labels(server, "worker")).containsExactly("disk");
            assertThat(server.requests().stream().filter(request -> request.startsWith("PATCH")))
                    .as("n1 lacked it, once")
                    .hasSize(1);
        }
    }

    @Test
    void onlyNodesThatAreReadyAndHaveTheRoleCount() throws Exception {
        try (FakeApiServer server = new FakeApiServer(new TestAuthority());
                ClusterClient client = ClusterClient.connect(Endpoint.of(
                        server.uri(), List.of(server.authority().certificate()), Optional.empty(), Optional.empty()))) {
            for (String name : List.of("off", "ready")) {
                node(server, name, NEW);
                Json.Fields node = server.get("/api/v1/nodes/" + name).orElseThrow();
                Json.Fields condition = Json.object()
                        .with("type", Json.text("Ready"))
                        .with("status", Json.text(name.equals("ready") ? "True" : "Unknown"));
                server.put(
                        "/api/v1/nodes/" + name,
                        node.with("status", Json.object().with("conditions", Json.items(Stream.of(condition)))));
            }
            node(server, "worker", "disk");

            assertThat(new ClusterApplyApi(client).nodes(Map.of(NEW, "")))
                    .extracting(Metadata::name)
                    .containsExactly("ready");
        }
    }

    private static void node(FakeApiServer server, String name, String... labels) {
        Json.Fields all = Json.object();
        for (String label : labels) {
            all = all.with(label, Json.text(""));
        }
        Json.Fields node = FakeApiServer.object("v1", "Node", "", name);
        Json.Fields metadata = (Json.Fields) node.at("metadata");
        server.put("/api/v1/nodes/" + name, node.with("metadata", metadata.with("labels", all)));
    }

    private static Set<String> labels(FakeApiServer server, String name) {
        return server.get("/api/v1/nodes/" + name)
                .orElseThrow()
                .at("metadata", "labels")
                .fields()
                .keySet();
    }
}
