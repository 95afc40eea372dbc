package dev.ouroboros.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.node.disk.LocalDisk;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes that write the same objects. */
final class KubernetesServiceEndpointsTest {
    private static final String ENDPOINTS = "/api/v1/namespaces/default/endpoints/kubernetes";
    private static final String SLICE = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";

    @TempDir
    Path directory;

    private final Set<String> members = new HashSet<>(Set.of("10.0.0.1", "10.0.0.2"));
    private FakeApiServer server;
    private ApiClient client;

    @SuppressWarnings("NullAway.Init") // begin() sets both before each test.
    KubernetesServiceEndpointsTest() {}

    @BeforeEach
    void begin() throws Exception {
        server = new FakeApiServer(new TestAuthority());
        client = new ApiClient(
                new LocalDisk(), server.writeKubeconfig(directory.resolve("kubeconfig")), Optional.empty(), "test");
    }

    @AfterEach
    void end() {
        client.close();
        server.close();
    }

    private KubernetesServiceEndpoints of(String address) {
        return new KubernetesServiceEndpoints(client, address, 6443, () -> Evidence.known(members), () -> true);
    }

    private List<String> inEndpoints() {
        return server.get(ENDPOINTS).orElseThrow().at("subsets").items().stream()
                .flatMap(subset -> subset.at("addresses").items().stream())
                .flatMap(address -> address.at("ip").text().stream())
                .toList();
    }

    private List<String> inSlice() {
        return server.get(SLICE).orElseThrow().at("endpoints").items().stream()
                .flatMap(endpoint -> endpoint.at("addresses").items().stream())
                .flatMap(address -> address.text().stream())
                .toList();
    }

    @Test
    void eachAddsItselfAndBothAreContent() throws Exception {
        KubernetesServiceEndpoints first = of("10.0.0.1");
        KubernetesServiceEndpoints second = of("10.0.0.2");
        assertThat(first.areRight()).isFalse();

        first.write();
        assertThat(first.areRight()).isTrue();
        second.write();

        assertThat(inEndpoints()).containsExactly("10.0.0.1", "10.0.0.2");
        assertThat(inSlice()).containsExactly("10.0.0.1", "10.0.0.2");
        assertThat(first.areRight()).isTrue();
        assertThat(second.areRight()).isTrue();
    }

    @Test
    void oneThatIsNoMemberAnyMoreIsTakenOutByTheOther() throws Exception {
        of("10.0.0.2").write();
        of("10.0.0.1").write();
        members.remove("10.0.0.2");
        assertThat(of("10.0.0.1").areRight()).isFalse();

        of("10.0.0.1").write();

        assertThat(inEndpoints()).containsExactly("10.0.0.1");
        assertThat(inSlice()).containsExactly("10.0.0.1");
    }
}
