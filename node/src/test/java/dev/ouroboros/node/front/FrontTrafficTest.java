package dev.ouroboros.node.front;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ouroboros.node.namespace.NetworkNamespace;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What connections meet behind the front: the numbers are those of the list in docs/notes/front.md. */
@Tag("e2e")
@Timeout(60)
class FrontTrafficTest extends ServersBehindAFront {
    // 1
    @Test
    void givesThePodBehindAVethWithoutAddressToTheUnderstudy() throws Exception {
        front.pointToUnderstudy(LEASE);
        for (NetworkNamespace client : List.of(node.pod(), node.neighbour(), node.namespace())) {
            assertThat(whoAnswers(client, TestNode.ADDRESS)).isEqualTo(UNDERSTUDY);
            assertThat(whoAnswers(client, TestNode.ADDRESS_IPV6)).isEqualTo(UNDERSTUDY);
        }
        front.pointToPrincipal();
        for (NetworkNamespace client : List.of(node.pod(), node.neighbour(), node.namespace())) {
            assertThat(whoAnswers(client, TestNode.ADDRESS)).isEqualTo(PRINCIPAL);
            assertThat(whoAnswers(client, TestNode.ADDRESS_IPV6)).isEqualTo(PRINCIPAL);
        }
    }

    // 1
    @Test
    void leavesThePodThatDialsAnotherNodeAlone() throws Exception {
        front.pointToUnderstudy(LEASE);
        try (TestServer _ = TestServer.start(node.neighbour(), TestNode.PRINCIPAL_PORT, "another node")) {
            assertThat(whoAnswers(node.pod(), TestNode.NEIGHBOUR_ADDRESS)).isEqualTo("another node");
            assertThat(whoAnswers(node.pod(), TestNode.NEIGHBOUR_ADDRESS_IPV6)).isEqualTo("another node");
            assertThat(whoAnswers(node.namespace(), TestNode.NEIGHBOUR_ADDRESS)).isEqualTo("another node");
        }
    }

    // 2
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keepsConnectionsThatAreOlderThanConnectionTracking(boolean pointed) throws Exception {
        try (TestClient pod = connect(node.pod(), TestNode.ADDRESS);
                TestClient podIpv6 = connect(node.pod(), TestNode.ADDRESS_IPV6);
                TestClient local = connect(node.namespace(), TestNode.ADDRESS);
                TestClient loopback = connect(node.namespace(), "127.0.0.1")) {
            if (pointed) {
                front.pointToUnderstudy(LEASE);
            } else {
                front.install();
            }
            for (TestClient client : List.of(pod, podIpv6, local, loopback)) {
                assertThat(client.echo('a')).isEqualTo('a');
                assertThat(client.server()).isEqualTo(PRINCIPAL);
            }
        }
    }

    // 3
    @Test
    void neverTouchesLoopback() throws Exception {
        front.pointToUnderstudy(LEASE);
        for (String loopback : List.of("127.0.0.1", "127.8.8.8", "::1")) {
            assertThat(whoAnswers(node.namespace(), loopback)).isEqualTo(PRINCIPAL);
            assertThat(TestClient.whoAnswers(node.namespace(), loopback, TestNode.UNDERSTUDY_PORT))
                    .isEqualTo(UNDERSTUDY);
        }
    }

    // 4
    @ParameterizedTest
    @EnumSource
    void translatesTheServiceBeforeKubeProxyDoes(KubeProxyRules kubeProxy) throws Exception {
        assumeTrue(kubeProxy.isPossible(node), "this kernel has no " + kubeProxy);
        kubeProxy.install(node);
        front.install();
        assertServiceIsServedBy(PRINCIPAL);
        front.pointToUnderstudy(LEASE);
        assertServiceIsServedBy(UNDERSTUDY);
        front.pointToPrincipal();
        assertServiceIsServedBy(PRINCIPAL);
    }

    // 4
    @Test
    void translatesTheServiceBeforeAKubeProxyThatCameLater() throws Exception {
        front.pointToUnderstudy(LEASE);
        assertServiceIsServedBy(UNDERSTUDY);
        KubeProxyRules.NFTABLES.install(node);
        KubeProxyRules.IPTABLES_NFT.install(node);
        assertServiceIsServedBy(UNDERSTUDY);
    }

    // 4 and 5
    @Test
    void givesTheServiceBackWhenTheLeaseEnds() throws Exception {
        KubeProxyRules.NFTABLES.install(node);
        front.pointToUnderstudy(Duration.ofSeconds(1));
        await(
                Duration.ofSeconds(3),
                () -> TestClient.whoAnswers(node.pod(), TestNode.CLUSTER_IP, 443)
                        .equals(PRINCIPAL));
    }

    // 5
    @Test
    void givesConnectionsBackWhenTheLeaseEnds() throws Exception {
        front.pointToUnderstudy(Duration.ofSeconds(1));
        assertThat(whoAnswers(node.pod(), TestNode.ADDRESS)).isEqualTo(UNDERSTUDY);
        await(
                Duration.ofSeconds(3),
                () -> whoAnswers(node.pod(), TestNode.ADDRESS).equals(PRINCIPAL));
        assertThat(whoAnswers(node.namespace(), TestNode.ADDRESS)).isEqualTo(PRINCIPAL);
    }

    // 5
    @Test
    void findsThePrincipalAgainFromAPortThatItClosedFirst() throws Exception {
        front.install();
        understudy.close();
        int port;
        try (TestClient first = connect(node.pod(), TestNode.ADDRESS)) {
            port = first.localPort();
            assertThat(first.echo(TestServer.HANG_UP)).isEqualTo(-1);
        }
        await(
                Duration.ofSeconds(5),
                () -> node.run("ss", "-Htan", "state", "time-wait").contains(":" + port));
        try (TestClient again = TestClient.connect(node.pod(), TestNode.ADDRESS, TestNode.PRINCIPAL_PORT, port)) {
            assertThat(again.server()).isEqualTo(PRINCIPAL);
        }
    }

    /** Connection tracking would give it to the old server, which is gone. */
    @ParameterizedTest
    @CsvSource({
        "pod, " + TestNode.ADDRESS,
        "pod, " + TestNode.ADDRESS_IPV6,
        "pod, " + TestNode.CLUSTER_IP,
        "node, " + TestNode.ADDRESS,
        "node, " + TestNode.ADDRESS_IPV6
    })
    void refusesNoClientThatUsesThePortAgainThatAnEndingUnderstudyHasReset(String from, String address)
            throws Exception {
        NetworkNamespace client = from.equals("pod") ? node.pod() : node.namespace();
        KubeProxyRules.NFTABLES.install(node);
        front.pointToUnderstudy(LEASE);
        int port;
        try (TestClient old = TestClient.connect(client, address, portAt(address))) {
            front.pointToPrincipal();
            port = reset(old, address);
        }
        understudy.close();
        Instant begin = Instant.now();
        assertThat(again(client, address, port)).isEqualTo(PRINCIPAL);
        assertThat(Duration.between(begin, Instant.now()))
                .as("its first SYN may be dropped, its second one may not")
                .isLessThan(SECOND_SYN);
    }

    /** A server resets connections while it lives too, and must be reached from that very port at once. */
    @ParameterizedTest
    @ValueSource(strings = {TestNode.ADDRESS, TestNode.ADDRESS_IPV6})
    void servesAClientThatUsesThePortAgainThatALivingServerHasReset(String address) throws Exception {
        front.install();
        for (NetworkNamespace client : List.of(node.pod(), node.namespace())) {
            int port;
            try (TestClient old = connect(client, address)) {
                port = reset(old, address);
            }
            Instant begin = Instant.now();
            assertThat(again(client, address, port)).isEqualTo(PRINCIPAL);
            assertThat(Duration.between(begin, Instant.now())).isLessThan(AT_ONCE);
        }
    }

    /** Also kept from who hangs: it is cut off, and not to be asked. */
    @Test
    void refusesNoClientThatUsesThePortAgainOfAConnectionThatWasCutOff() throws Exception {
        front.install();
        int port;
        try (TestClient client = connect(node.pod(), TestNode.ADDRESS)) {
            port = client.localPort();
            front.cutOffPrincipal(LEASE);
            front.pointToUnderstudy(LEASE);
            assertThatThrownBy(() -> client.echo('a')).isInstanceOf(SocketException.class);
        }
        assertThat(again(node.pod(), TestNode.ADDRESS, port)).isEqualTo(UNDERSTUDY);
    }

    /** Lets its server reset a connection; returns the port that the client had. */
    private int reset(TestClient client, String address) {
        int port = client.localPort();
        assertThatThrownBy(() -> client.echo(TestServer.RESET)).isInstanceOf(SocketException.class);
        assertThat(conntrack(address, "CLOSE")).contains("sport=" + port + " ");
        return port;
    }

    private static String again(NetworkNamespace from, String address, int port) throws Exception {
        try (TestClient client = TestClient.connect(from, address, portAt(address), port)) {
            return client.server();
        }
    }

    private String conntrack(String address, String state) {
        return node.run("conntrack", "-L", "-f", family(address), "-p", "tcp", "--state", state);
    }

    // 5
    @ParameterizedTest
    @ValueSource(strings = {TestNode.ADDRESS, TestNode.ADDRESS_IPV6})
    void rescuesAClientFromAHungPrincipal(String address) throws Exception {
        principal.close();
        front.install();
        try (ServerSocket _ = TestServer.startHung(node.namespace(), TestNode.PRINCIPAL_PORT);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Socket> filling = fill(address);
            Future<String> client = threads.submit(() -> whoAnswers(node.pod(), address));
            await(
                    Duration.ofSeconds(5),
                    () -> node.run("conntrack", "-L", "-f", family(address), "-p", "tcp", "--state", "SYN_SENT")
                            .lines()
                            .anyMatch(line -> line.contains("dport=" + TestNode.PRINCIPAL_PORT + " ")));
            front.pointToUnderstudy(LEASE);
            Instant begin = Instant.now();
            assertThat(client.get()).isEqualTo(UNDERSTUDY);
            assertThat(Duration.between(begin, Instant.now()))
                    .as("its next SYN is led elsewhere, or the one after that")
                    .isLessThan(Duration.ofMillis(3500));
            for (Socket socket : filling) {
                socket.close();
            }
        }
    }

    // 5
    @ParameterizedTest
    @ValueSource(strings = {TestNode.ADDRESS, TestNode.ADDRESS_IPV6})
    void cutsThePrincipalOffFromItsClientsAndFromNobodyElse(String address) throws Exception {
        front.install();
        try (TestClient pod = connect(node.pod(), address);
                TestClient local = connect(node.namespace(), address);
                TestClient loopback = connect(node.namespace(), "127.0.0.1");
                TestClient elsewhere = TestClient.connect(node.pod(), address, TestNode.UNDERSTUDY_PORT)) {
            front.cutOffPrincipal(LEASE);
            for (TestClient client : List.of(pod, local)) {
                assertThatThrownBy(() -> client.echo('a')).isInstanceOf(SocketException.class);
            }
            for (NetworkNamespace client : List.of(node.pod(), node.neighbour(), node.namespace())) {
                assertThatThrownBy(() -> whoAnswers(client, address)).isInstanceOf(ConnectException.class);
            }
            assertThat(loopback.echo('a')).isEqualTo('a');
            assertThat(whoAnswers(node.namespace(), "127.0.0.1")).isEqualTo(PRINCIPAL);
            assertThat(elsewhere.echo('a')).isEqualTo('a');
            front.pointToUnderstudy(LEASE);
            assertThat(whoAnswers(node.pod(), address)).isEqualTo(UNDERSTUDY);
            front.pointToPrincipal();
            front.letThrough();
            assertThat(whoAnswers(node.pod(), address)).isEqualTo(PRINCIPAL);
        }
    }

    // 4 and 5
    @ParameterizedTest
    @EnumSource
    void cutsConnectionsThatKubeProxyLedToThePrincipal(KubeProxyRules kubeProxy) throws Exception {
        assumeTrue(kubeProxy.isPossible(node), "this kernel has no " + kubeProxy);
        kubeProxy.install(node);
        front.install();
        try (TestClient pod = TestClient.connect(node.pod(), TestNode.CLUSTER_IP, 443)) {
            assertThat(pod.server()).isEqualTo(PRINCIPAL);
            front.cutOffPrincipal(LEASE);
            assertThatThrownBy(() -> pod.echo('a')).isInstanceOf(SocketException.class);
        }
    }

    // 5
    @Test
    void letsThroughWhenTheLeaseEnds() throws Exception {
        front.cutOffPrincipal(Duration.ofSeconds(1));
        assertThatThrownBy(() -> whoAnswers(node.pod(), TestNode.ADDRESS)).isInstanceOf(ConnectException.class);
        await(Duration.ofSeconds(3), () -> front.read().cutOff().isEmpty());
        assertThat(whoAnswers(node.pod(), TestNode.ADDRESS)).isEqualTo(PRINCIPAL);
    }

    // 6
    @Test
    void losesNoConnectionWhileItSwitchesFiftyTimes() throws Exception {
        front.install();
        AtomicBoolean switching = new AtomicBoolean(true);
        Map<String, LongAdder> answers = new ConcurrentHashMap<>();
        try (TestClient old = connect(node.pod(), TestNode.ADDRESS);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> clients = new ArrayList<>();
            for (NetworkNamespace from : List.of(node.pod(), node.neighbour(), node.namespace())) {
                clients.add(threads.submit(() -> TestClient.inside(from, () -> {
                    while (switching.get()) {
                        String server = TestClient.whoAnswersHere(TestNode.ADDRESS, TestNode.PRINCIPAL_PORT);
                        answers.computeIfAbsent(server, _ -> new LongAdder()).increment();
                    }
                    return null;
                })));
            }
            for (int i = 0; i < 50; i++) {
                long before = total(answers);
                if (i % 2 == 0) {
                    front.pointToUnderstudy(LEASE);
                    front.pointToUnderstudy(LEASE);
                } else {
                    front.pointToPrincipal();
                }
                await(Duration.ofSeconds(5), () -> total(answers) >= before + 3);
                assertThat(old.echo('a')).isEqualTo('a');
            }
            switching.set(false);
            for (Future<?> client : clients) {
                client.get();
            }
        }
        assertThat(answers).containsOnlyKeys(PRINCIPAL, UNDERSTUDY);
    }

    private void assertServiceIsServedBy(String server) throws Exception {
        for (NetworkNamespace client : List.of(node.pod(), node.neighbour(), node.namespace())) {
            assertThat(TestClient.whoAnswers(client, TestNode.CLUSTER_IP, 443)).isEqualTo(server);
            assertThat(TestClient.whoAnswers(client, TestNode.CLUSTER_IP_IPV6, 443))
                    .isEqualTo(server);
        }
    }

    /** Connections that the kernel completes for a server that does not accept, until it answers no more. */
    private List<Socket> fill(String address) throws Exception {
        return TestClient.inside(node.neighbour(), () -> {
            List<Socket> sockets = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                Socket socket = new Socket();
                try {
                    socket.connect(new InetSocketAddress(address, TestNode.PRINCIPAL_PORT), 300);
                    sockets.add(socket);
                } catch (SocketTimeoutException e) {
                    socket.close();
                    return sockets;
                }
            }
            throw new IllegalStateException("the backlog never filled");
        });
    }

    private static long total(Map<String, LongAdder> answers) {
        return answers.values().stream().mapToLong(LongAdder::sum).sum();
    }

    private static String family(String address) {
        return address.contains(":") ? "ipv6" : "ipv4";
    }
}
