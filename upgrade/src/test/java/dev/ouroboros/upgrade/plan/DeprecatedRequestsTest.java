package dev.ouroboros.upgrade.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.api.testing.FakeApiServer.Fault;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.endpoints.ServiceEndpoints;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.upgrade.decide.ClusterSeen.DeprecatedRequest;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each API server counts what its own clients ask for. */
final class DeprecatedRequestsTest {
    private static final String GAUGE =
            "apiserver_requested_deprecated_apis{group=\"%s\",removed_release=\"1.25\",resource=\"%s\",subresource=\"\",version=\"v1beta1\"} 1%n";

    private final FakeApiServer first;
    private final FakeApiServer second;

    @TempDir
    private Path directory = Path.of("");

    DeprecatedRequestsTest() throws Exception {
        first = new FakeApiServer(new TestAuthority());
        second = first.sibling();
        second.listen();
    }

    @AfterEach
    void close() {
        second.close();
        first.close();
    }

    private Map<String, Evidence<List<DeprecatedRequest>>> requests(FakeApiServer... named) throws Exception {
        TreeSet<String> addresses = new TreeSet<>();
        Map<String, URI> servers = new TreeMap<>();
        for (FakeApiServer server : named) {
            addresses.add(address(server));
            servers.put(address(server), server.uri());
        }
        first.put("/api/v1/namespaces/default/endpoints/kubernetes", new ServiceEndpoints(addresses, 6443).endpoints());
        Endpoint endpoint =
                KubeconfigFile.read(first.writeKubeconfig(directory.resolve("kubeconfig")), Optional.empty());
        try (ClusterClient client = ClusterClient.connect(endpoint)) {
            Function<ServerAddress, ClusterClient> connect = server -> ClusterClient.connect(endpoint.at(
                    Objects.requireNonNull(servers.get(server.address().getHostAddress()))));
            return new ClusterLook(client, connect).requests();
        }
    }

    /** Of documentation, and behind it a server on loopback. */
    private String address(FakeApiServer server) {
        return server == first ? "192.0.2.1" : "192.0.2.2";
    }

    private String of(FakeApiServer server) {
        return "clients of API server " + address(server) + ":6443";
    }

    @Test
    void askTheOnlyServer() throws Exception {
        first.fault("GET /metrics", new Fault.Garbage(GAUGE.formatted("batch", "cronjobs")));

        assertThat(requests(first))
                .hasEntrySatisfying(
                        "clients",
                        told -> assertThat(told.orElse(List.of()))
                                .extracting(DeprecatedRequest::resource)
                                .containsExactly("cronjobs"));
    }

    @Test
    void askEachServerItself() throws Exception {
        first.fault("GET /metrics", new Fault.Garbage(GAUGE.formatted("batch", "cronjobs")));
        second.fault("GET /metrics", new Fault.Garbage(GAUGE.formatted("policy", "podsecuritypolicies")));

        assertThat(requests(first, second))
                .hasEntrySatisfying(
                        of(first),
                        told -> assertThat(told.orElse(List.of()))
                                .extracting(DeprecatedRequest::resource)
                                .containsExactly("cronjobs"))
                .hasEntrySatisfying(
                        of(second),
                        told -> assertThat(told.orElse(List.of()))
                                .extracting(DeprecatedRequest::resource)
                                .containsExactly("podsecuritypolicies"));
    }

    @Test
    void sayWhenNobodyTellsWhichServersThereAre() throws Exception {
        first.fault("GET /api/v1/namespaces/default/endpoints", new Fault.Status(403, Map.of()));

        assertThat(requests(first))
                .hasEntrySatisfying(
                        "clients of other API servers", told -> assertThat(told).isInstanceOf(Evidence.Unknown.class));
    }

    @Test
    void nameAServerThatDoesNotAnswer() throws Exception {
        first.fault("GET /metrics", new Fault.Garbage(GAUGE.formatted("batch", "cronjobs")));
        second.die();

        assertThat(requests(first, second))
                .hasEntrySatisfying(of(first), told -> assertThat(told).isInstanceOf(Evidence.Known.class))
                .hasEntrySatisfying(of(second), told -> assertThat(told).isInstanceOf(Evidence.Unknown.class));
    }
}
