package dev.ouroboros.node.front;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.front.BalancerTable;
import dev.ouroboros.model.front.Deal;
import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.node.namespace.NetworkNamespace;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What connections meet behind the balancer of a worker: two control-plane nodes, which its neighbour plays, and a third that is off. */
@Tag("e2e")
@Timeout(60)
final class BalancerTrafficTest {
    private static final String FIRST = TestNode.NEIGHBOUR_ADDRESS;
    private static final String SECOND = "192.168.50.3";
    /** Nobody answers there, not even who that is. */
    private static final String OFF = "192.168.50.9";
    /** What is sent there gets no answer. */
    private static final int SILENT = 7000;

    private static final int PORT = TestNode.PRINCIPAL_PORT;
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final BalancerTable table = new BalancerTable("worker");
    private TestNode node;
    private TestServer first;
    private TestServer second;

    @BeforeEach
    void twoServers() throws Exception {
        node = new TestNode();
        inNeighbour("ip", "address", "add", SECOND + "/24", "dev", "eth0");
        inNeighbour("nft", "add table inet silence");
        inNeighbour("nft", "add chain inet silence input { type filter hook input priority 0 ; }");
        inNeighbour("nft", "add rule inet silence input tcp dport " + SILENT + " drop");
        first = TestServer.start(node.neighbour(), PORT, "any");
        second = TestServer.start(node.neighbour(), PORT + 1, "other");
        nft(BalancerTable.install());
    }

    @AfterEach
    void stop() throws Exception {
        first.close();
        second.close();
        node.close();
    }

    private void inNeighbour(String... command) {
        new LocalProcesses()
                .run(Command.of(command).behind(node.neighbour().prefix()))
                .orThrow();
    }

    private void nft(String script) {
        new LocalProcesses()
                .run(Command.of("nft", "-f", "-")
                        .withInput(script)
                        .behind(node.namespace().prefix()))
                .orThrow();
    }

    private void deal(List<ServerAddress> servers, List<ServerAddress> dead) {
        nft(table.deal(
                Deal.of(
                        List.of(
                                at(TestNode.CLUSTER_IP, 443),
                                at(TestNode.CLUSTER_IP_IPV6, 443),
                                at(FIRST, PORT),
                                at(OFF, PORT)),
                        servers,
                        dead),
                LEASE));
    }

    private static ServerAddress at(String address, int port) {
        return new ServerAddress(InetAddress.ofLiteral(address), port);
    }

    private static final ServerAddress ANY = at(FIRST, PORT);
    private static final ServerAddress OTHER = at(FIRST, PORT + 1);
    private static final ServerAddress ANY_IPV6 = at(TestNode.NEIGHBOUR_ADDRESS_IPV6, PORT);

    private Set<String> answering(NetworkNamespace from, String address, int port) throws Exception {
        Set<String> names = new TreeSet<>();
        for (int request = 0; request < 40; request++) {
            names.add(TestClient.whoAnswers(from, address, port));
        }
        return names;
    }

    @Test
    void theNodesClientsAreDealtToAllServersWhicheverDoorTheyDial() throws Exception {
        deal(List.of(ANY, OTHER, ANY_IPV6), List.of());

        for (NetworkNamespace client : List.of(node.namespace(), node.pod())) {
            assertThat(answering(client, TestNode.CLUSTER_IP, 443)).containsExactly("any", "other");
            assertThat(answering(client, FIRST, PORT)).containsExactly("any", "other");
            assertThat(answering(client, OFF, PORT))
                    .as("a node that is off is a door too")
                    .containsExactly("any", "other");
            assertThat(answering(client, TestNode.CLUSTER_IP_IPV6, 443)).containsExactly("any");
        }
    }

    @Test
    void whoComesFromElsewhereAndWhatIsNoDoorIsLeftAlone() throws Exception {
        deal(List.of(OTHER), List.of());
        try (TestServer _ = TestServer.start(node.namespace(), PORT, "this node")) {
            assertThat(TestClient.whoAnswers(node.neighbour(), TestNode.ADDRESS, PORT))
                    .isEqualTo("this node");
            assertThat(TestClient.whoAnswers(node.namespace(), "127.0.0.1", PORT))
                    .isEqualTo("this node");
        }
        assertThat(TestClient.whoAnswers(node.namespace(), SECOND, PORT)).isEqualTo("any");
    }

    @Test
    void whenTheLeaseEndsConnectionsGoWhereTheyWant() throws Exception {
        nft(table.deal(Deal.of(List.of(ANY), List.of(OTHER), List.of()), Duration.ofSeconds(1)));
        assertThat(TestClient.whoAnswers(node.namespace(), FIRST, PORT)).isEqualTo("other");
        ServersBehindAFront.await(
                Duration.ofSeconds(4),
                () -> TestClient.whoAnswers(node.namespace(), FIRST, PORT).equals("any"));
    }

    @Test
    void probesSeeTheServerThatTheyDial() throws Exception {
        deal(List.of(OTHER), List.of(ANY));
        try (TestClient probe = TestClient.connect(node.namespace(), FIRST, PORT, BalancerTable.FIRST_PROBE_PORT)) {
            assertThat(probe.server()).isEqualTo("any");
        }
    }

    @Test
    void aSynThatNobodyAnswersIsDealtAnew() throws Exception {
        deal(List.of(at(FIRST, SILENT)), List.of());
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            Instant begun = Instant.now();
            Future<String> client = clients.submit(() -> TestClient.whoAnswers(node.pod(), TestNode.CLUSTER_IP, 443));
            Thread.sleep(Duration.ofMillis(300));
            deal(List.of(ANY), List.of());

            assertThat(client.get()).isEqualTo("any");
            assertThat(Duration.between(begun, Instant.now())).isLessThan(Duration.ofMillis(4500));
        }
    }

    @Test
    void aConnectionToADeadServerEndsWhenItIsUsed() throws Exception {
        for (NetworkNamespace from : List.of(node.namespace(), node.pod())) {
            deal(List.of(ANY), List.of());
            try (TestClient client = TestClient.connect(from, TestNode.CLUSTER_IP, 443)) {
                assertThat(client.echo('a')).isEqualTo('a');
                deal(List.of(OTHER), List.of(ANY));

                assertThatThrownBy(() -> client.echo('b')).isInstanceOf(IOException.class);
            }
            assertThat(TestClient.whoAnswers(from, TestNode.CLUSTER_IP, 443)).isEqualTo("other");
        }
    }

    @Test
    void aDeadServerRefusesWhoDialsItWithoutADoor() {
        nft(table.deal(Deal.of(List.of(), List.of(), List.of(ANY)), LEASE));

        assertThatThrownBy(() -> TestClient.whoAnswers(node.namespace(), FIRST, PORT))
                .isInstanceOf(ConnectException.class);
    }

    /** A thousand exchanges of the slots while clients connect all the time. */
    @Test
    void noConnectionFailsWhileSlotsAreExchanged() throws Exception {
        deal(List.of(ANY, OTHER), List.of());
        AtomicBoolean ends = new AtomicBoolean();
        AtomicInteger connections = new AtomicInteger();
        Map<String, Integer> failures = new TreeMap<>();
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> client = clients.submit(() -> node.namespace().call(() -> {
                while (!ends.get()) {
                    try {
                        TestClient.whoAnswersHere(OFF, PORT);
                    } catch (IOException e) {
                        failures.merge(String.valueOf(e.getMessage()), 1, Integer::sum);
                    }
                    connections.incrementAndGet();
                }
                return true;
            }));
            for (int change = 0; change < 1000; change++) {
                deal(change % 2 == 0 ? List.of(ANY) : List.of(OTHER), List.of());
            }
            ends.set(true);
            client.get();
        }
        assertThat(failures).as("of %d connections", connections.get()).isEmpty();
        assertThat(connections.get()).isGreaterThan(500);
    }
}
