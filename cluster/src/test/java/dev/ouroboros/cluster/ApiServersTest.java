package dev.ouroboros.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.ApiClient;
import dev.ouroboros.api.ServerProbe;
import dev.ouroboros.api.SourcePorts;
import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.cluster.ApiServers.Seen;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.endpoints.ServiceEndpoints;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real TLS on loopback; addresses are those of documentation, behind which loopback's servers are asked. */
final class ApiServersTest {
    private static final int PORT = 6443;

    private final Map<ServerAddress, Integer> ports = new TreeMap<>();
    private final List<AutoCloseable> closed = new ArrayList<>();
    private final TestAuthority authority;
    private final FakeApiServer first;

    @TempDir
    private Path directory = Path.of("");

    ApiServersTest() throws Exception {
        authority = new TestAuthority();
        first = new FakeApiServer(authority);
        closed.add(first);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : closed.reversed()) {
            one.close();
        }
    }

    private static ServerAddress at(int number) {
        return new ServerAddress(InetAddress.ofLiteral("192.0.2." + number), PORT);
    }

    private ApiServers servers() throws Exception {
        Path kubeconfig = first.writeKubeconfig(directory.resolve("kubeconfig"));
        ApiClient client = new ApiClient(new LocalDisk(), kubeconfig, Optional.empty(), "test");
        closed.add(client);
        Endpoint endpoint = client.endpoint();
        ApiServers servers = new ApiServers(
                ClusterClient.connect(endpoint),
                server -> ServerProbe.ofMany(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), ports.getOrDefault(server, 1)),
                        SourcePorts.ANY,
                        () -> endpoint,
                        InstantSource.system()),
                server -> ClusterClient.connect(
                        endpoint.at(URI.create("https://127.0.0.1:" + ports.getOrDefault(server, 1)))));
        closed.add(servers);
        return servers;
    }

    private FakeApiServer sibling() throws Exception {
        FakeApiServer server = first.sibling();
        closed.add(server);
        server.listen();
        return server;
    }

    private void name(int... numbers) {
        TreeSet<String> addresses = new TreeSet<>();
        for (int number : numbers) {
            addresses.add("192.0.2." + number);
        }
        first.put("/api/v1/namespaces/default/endpoints/kubernetes", new ServiceEndpoints(addresses, PORT).endpoints());
    }

    private static Optional<Seen> of(List<Seen> all, int number) {
        return all.stream().filter(seen -> seen.server().equals(at(number))).findFirst();
    }

    @Test
    void asksEachThatTheServiceNames() throws Exception {
        name(1, 2, 3);
        ports.put(at(1), first.port());
        FakeApiServer second = sibling();
        ports.put(at(2), second.port());
        second.readyz("[-]etcd failed: reason withheld");
        first.put(
                "/api/v1/nodes/m1",
                FakeApiServer.object("v1", "Node", "", "m1")
                        .with(
                                "status",
                                Json.object()
                                        .with(
                                                "addresses",
                                                Json.items(Stream.of(Json.object()
                                                        .with("type", Json.text("InternalIP"))
                                                        .with("address", Json.text("192.0.2.1")))))));

        List<Seen> seen = servers().look();

        assertThat(seen).extracting(Seen::server).containsExactly(at(1), at(2), at(3));
        assertThat(seen).extracting(Seen::isProven).containsExactly(true, false, false);
        assertThat(seen).extracting(Seen::node).containsExactly(Optional.of("m1"), Optional.empty(), Optional.empty());
        assertThat(Health.describe(seen.get(1).health())).contains("etcd");
        assertThat(Health.describe(seen.get(2).health())).isEqualTo("does not listen yet");
    }

    @Test
    void doesNotBelieveAServerOfAnotherAuthority() throws Exception {
        name(1, 2);
        ports.put(at(1), first.port());
        FakeApiServer stranger = new FakeApiServer(new TestAuthority());
        closed.add(stranger);
        ports.put(at(2), stranger.port());

        assertThat(of(servers().look(), 2))
                .hasValueSatisfying(seen -> assertThat(seen.isProven()).isFalse());
    }

    @Test
    void forgetsNobodyWhileNoApiSaysWhoThereIs() throws Exception {
        name(1, 2);
        ports.put(at(1), first.port());
        FakeApiServer second = sibling();
        ports.put(at(2), second.port());
        ApiServers servers = servers();
        servers.look();

        first.die();

        List<Seen> seen = servers.look();
        assertThat(seen).extracting(Seen::isProven).containsExactly(false, true);

        second.die();

        assertThat(servers.look()).extracting(Seen::isProven).containsExactly(false, false);
    }

    @Test
    void asksAnotherWhoThereIsWhenTheFirstHasGone() throws Exception {
        name(1, 2);
        ports.put(at(1), first.port());
        FakeApiServer second = sibling();
        ports.put(at(2), second.port());
        ApiServers servers = servers();
        servers.look();

        first.die();
        name(2, 3);

        assertThat(servers.look()).extracting(Seen::server).containsExactly(at(2), at(3));
    }

    @Test
    void takesWhoLeftOutOnceTheServiceSaysSo() throws Exception {
        name(1, 2);
        ports.put(at(1), first.port());
        ApiServers servers = servers();
        servers.look();

        name(1);

        assertThat(servers.look()).extracting(Seen::server).containsExactly(at(1));
    }

    @Test
    void saysWhatIsWrongWhenTheServiceLeadsNowhere() throws Exception {
        ApiServers servers = servers();

        Refusal.of(servers::look, ErrorCode.API_UNAVAILABLE)
                .whatContains("there are none")
                .nextContains("ouro status");
    }

    @Test
    void saysWhatIsWrongWhenNobodyEverNamedOne() throws Exception {
        ApiServers servers = servers();
        first.die();

        Refusal.of(servers::look, ErrorCode.API_UNAVAILABLE).where("the endpoints of the kubernetes Service");
    }
}
