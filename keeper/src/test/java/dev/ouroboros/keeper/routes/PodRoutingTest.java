package dev.ouroboros.keeper.routes;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.ApiClient;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.keeper.observe.LookoutThreads;
import dev.ouroboros.keeper.observe.NodeMemory;
import dev.ouroboros.keeper.observe.Signal;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.net.GatewayRoute;
import dev.ouroboros.model.net.IpRoute;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.libc.RouteTable;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class PodRoutingTest {
    private static final IpRoute TO_TWO =
            new IpRoute(Cidr.parse("10.2.1.0/24"), Optional.of(InetAddress.ofLiteral("10.0.0.6")), IpRoute.OF_PODS);
    private static final IpRoute FORMER =
            new IpRoute(Cidr.parse("10.2.9.0/24"), Optional.of(InetAddress.ofLiteral("10.0.0.9")), IpRoute.OF_PODS);

    private final FakeApiServer api = new FakeApiServer(new TestAuthority());
    private final Set<IpRoute> table = new CopyOnWriteArraySet<>(Set.of(FORMER));
    private final LookoutThreads threads = new LookoutThreads(new Signal(InstantSource.system()));

    @TempDir
    private Path directory = Path.of("");

    private Path template = Path.of("");
    private volatile RouteTable.Added answer = RouteTable.Added.ADDED;

    PodRoutingTest() throws Exception {}

    @BeforeEach
    void twoNodes() throws Exception {
        template = directory.resolve("ouroboros.template");
        Files.writeString(template, "{}");
        node("one", "10.0.0.5", "10.2.0.0/24");
        node("two", "10.0.0.6", "10.2.1.0/24");
    }

    @AfterEach
    void close() {
        threads.close();
        api.close();
    }

    private void node(String name, String address, String pods) {
        Json.Fields internal =
                Json.object().with("type", Json.text("InternalIP")).with("address", Json.text(address));
        api.put(
                "/api/v1/nodes/" + name,
                FakeApiServer.object("v1", "Node", "", name)
                        .with("spec", Json.object().with("podCIDRs", Json.texts(List.of(pods))))
                        .with("status", Json.object().with("addresses", Json.items(Stream.of(internal)))));
    }

    private PodRouting begin() throws Exception {
        LocalDisk disk = new LocalDisk();
        ApiClient client =
                new ApiClient(disk, api.writeKubeconfig(directory.resolve("kubeconfig")), Optional.empty(), "test");
        ClusterGuard guard =
                new ClusterGuard(client, new NodeMemory(disk, directory.resolve("state.json")), InstantSource.system());
        PodNetwork network = new PodNetwork(template, List.of(Cidr.parse("10.2.0.0/16")));
        PodRouting routing = new PodRouting("one", network, disk, new Table(), client, guard);
        routing.start(threads);
        return routing;
    }

    private static List<String> troubles(PodRouting routing) {
        return routing.state().at("troubles").items().stream()
                .flatMap(each -> each.text().stream())
                .toList();
    }

    @Test
    void theRoutesAreThoseOfTheNodesThatThereAre() throws Exception {
        PodRouting routing = begin();

        eventually("the route to two", () -> table.equals(Set.of(TO_TWO)));
        eventually("nothing is said of it any more", () -> troubles(routing).isEmpty());
        api.delete("/api/v1/nodes/two");
        eventually("no route of ours", table::isEmpty);
    }

    @Test
    void withoutATemplateThereAreNoneOfOurs() throws Exception {
        Files.delete(template);
        begin();

        eventually("no route of ours", table::isEmpty);
    }

    @Test
    void whileTheNodesAreNotKnownRoutesStayAndThatIsSaid() throws Exception {
        api.fault("GET /api/v1/nodes", new FakeApiServer.Fault.Status(403, Map.of()));
        PodRouting routing = begin();

        eventually("it is said", () -> troubles(routing).toString().contains("the Nodes are not known"));
        assertThat(table).containsExactly(FORMER);
    }

    @Test
    void aNodeThatIsNoNeighbourIsSaid() throws Exception {
        answer = RouteTable.Added.NOT_A_NEIGHBOUR;
        PodRouting routing = begin();

        eventually("it is said", () -> troubles(routing).toString().contains("that node is on another network"));
    }

    private final class Table implements RouteTable {
        @Override
        public Optional<List<GatewayRoute>> gateways() {
            return Optional.of(table.stream()
                    .map(route -> new GatewayRoute(
                            route.destination(), route.gateway().orElseThrow()))
                    .toList());
        }

        @Override
        public List<IpRoute> list() {
            return List.copyOf(table);
        }

        @Override
        public Added add(IpRoute route) {
            if (answer == Added.ADDED) {
                table.add(route);
            }
            return answer;
        }

        @Override
        public void remove(IpRoute route) {
            table.remove(route);
        }
    }
}
