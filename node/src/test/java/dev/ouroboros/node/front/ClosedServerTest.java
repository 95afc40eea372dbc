package dev.ouroboros.node.front;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.node.namespace.NetworkNamespace;
import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What connections meet behind the front when a server's port is closed, or was a moment ago, and nobody points it. */
@Tag("e2e")
@Timeout(60)
class ClosedServerTest extends ServersBehindAFront {
    @Test
    void givesConnectionsToTheUnderstudyWhenNothingListensForThePrincipal() throws Exception {
        front.install();
        assertThat(whoAnswers(node.pod(), TestNode.ADDRESS)).isEqualTo(PRINCIPAL);
        principal.close();
        assertThat(whoAnswers(node.pod(), TestNode.ADDRESS)).isEqualTo(UNDERSTUDY);
        assertThat(whoAnswers(node.neighbour(), TestNode.ADDRESS_IPV6)).isEqualTo(UNDERSTUDY);
        principal = TestServer.start(node.namespace(), TestNode.PRINCIPAL_PORT, PRINCIPAL);
        front.pointToPrincipal();
        assertThat(whoAnswers(node.pod(), TestNode.ADDRESS)).isEqualTo(PRINCIPAL);
    }

    /** Its port is open long before it can serve, and a keeper may be late just then. */
    @ParameterizedTest
    @MethodSource("differentWays")
    void leavesClientsWithTheUnderstudyWhileAPrincipalThatWasClosedBoots(Way way) throws Exception {
        KubeProxyRules.NFTABLES.install(node);
        front.install();
        principal.close();
        assertServedSoon(way, UNDERSTUDY);
        principal = TestServer.start(node.namespace(), TestNode.PRINCIPAL_PORT, PRINCIPAL);
        for (int ask = 0; ask < 3; ask++) {
            assertThat(way.ask(node)).isEqualTo(UNDERSTUDY);
        }

        front.pointToPrincipal();
        assertThat(way.ask(node)).isEqualTo(PRINCIPAL);

        principal.close();
        assertServedSoon(way, UNDERSTUDY);
        principal = TestServer.start(node.namespace(), TestNode.PRINCIPAL_PORT, PRINCIPAL);
        understudy.close();
        assertServedSoon(way, PRINCIPAL);
    }

    /** With no lease and nobody to point: from outside at once, from the node with the second SYN. */
    @ParameterizedTest
    @MethodSource("ways")
    void leavesAPrincipalWhosePortIsClosed(Way way) throws Exception {
        KubeProxyRules.NFTABLES.install(node);
        front.install();
        principal.close();

        assertServedSoon(way, UNDERSTUDY);
        Instant begin = Instant.now();
        assertThat(way.ask(node)).as("who comes next").isEqualTo(UNDERSTUDY);
        assertThat(Duration.between(begin, Instant.now())).isLessThan(AT_ONCE);
    }

    /** The map is stuck on a dead server, as after the death of understudy and keeper. */
    @ParameterizedTest
    @MethodSource("ways")
    void leavesAnUnderstudyWhosePortIsClosedAlthoughALeaseLeadsThere(Way way) throws Exception {
        KubeProxyRules.NFTABLES.install(node);
        front.pointToUnderstudy(LEASE);
        understudy.close();

        assertServedSoon(way, PRINCIPAL);
        Instant begin = Instant.now();
        assertThat(way.ask(node)).as("who comes next").isEqualTo(PRINCIPAL);
        assertThat(Duration.between(begin, Instant.now())).isLessThan(AT_ONCE);
    }

    /** As without a front, and not for longer than they are closed. */
    @ParameterizedTest
    @MethodSource("ways")
    void refusesWhenBothAreClosedAndServesWhenOneIsBack(Way way) throws Exception {
        KubeProxyRules.NFTABLES.install(node);
        front.install();
        principal.close();
        understudy.close();

        assertThatThrownBy(() -> way.ask(node)).isInstanceOf(ConnectException.class);
        understudy = TestServer.start(node.namespace(), TestNode.UNDERSTUDY_PORT, UNDERSTUDY);
        await(SECOND_SYN, () -> isServed(way));
        assertThat(way.ask(node)).isEqualTo(UNDERSTUDY);
    }

    @Test
    void comesBackToAServerThatWasClosed() throws Exception {
        front.pointToUnderstudy(LEASE);
        understudy.close();
        assertServedSoon(new Way("node", TestNode.ADDRESS), PRINCIPAL);
        understudy = TestServer.start(node.namespace(), TestNode.UNDERSTUDY_PORT, UNDERSTUDY);

        await(
                Duration.ofSeconds(7),
                () -> whoAnswers(node.namespace(), TestNode.ADDRESS).equals(UNDERSTUDY));
    }

    /** The principal is no way out, so that the understudy is not left: a client that came too early costs those after it nothing. */
    @ParameterizedTest
    @MethodSource("ways")
    void isServedByAnUnderstudyAsSoonAsItListensWhileThePrincipalIsCutOff(Way way) throws Exception {
        KubeProxyRules.NFTABLES.install(node);
        understudy.close();
        front.pointToUnderstudy(LEASE);
        assertServedSoon(way, PRINCIPAL);

        front.cutOffPrincipal(LEASE);
        for (int ask = 0; ask < 3; ask++) {
            Instant begin = Instant.now();
            assertThatThrownBy(() -> way.ask(node)).isInstanceOf(ConnectException.class);
            assertThat(Duration.between(begin, Instant.now())).isLessThan(AT_ONCE);
        }
        understudy = TestServer.start(node.namespace(), TestNode.UNDERSTUDY_PORT, UNDERSTUDY);
        assertThat(way.ask(node)).isEqualTo(UNDERSTUDY);
    }

    /** Who dials the understudy's own port is told that it is closed, and changes nothing for others. */
    @Test
    void refusesAtOnceWhoDialsTheClosedPortOfTheUnderstudyHimself() throws Exception {
        front.pointToUnderstudy(LEASE);
        understudy.close();
        for (NetworkNamespace client : List.of(node.pod(), node.namespace())) {
            Instant begin = Instant.now();
            assertThatThrownBy(() -> TestClient.whoAnswers(client, TestNode.ADDRESS, TestNode.UNDERSTUDY_PORT))
                    .isInstanceOf(ConnectException.class);
            assertThat(Duration.between(begin, Instant.now())).isLessThan(AT_ONCE);
        }
        assertThat(node.run("nft", "list", "set", "inet", "ouroboros", "understudy_closed"))
                .doesNotContain("elements");
    }

    /** Where a client dials from, and what. */
    record Way(String from, String address) {
        String ask(TestNode node) throws Exception {
            NetworkNamespace client = switch (from) {
                case "pod" -> node.pod();
                case "neighbour" -> node.neighbour();
                default -> node.namespace();
            };
            return TestClient.whoAnswers(client, address, portAt(address));
        }
    }

    /** Each hook, each family, node and Service once. */
    static Stream<Way> differentWays() {
        return Stream.of(
                new Way("pod", TestNode.CLUSTER_IP_IPV6),
                new Way("neighbour", TestNode.ADDRESS),
                new Way("node", TestNode.ADDRESS_IPV6),
                new Way("node", TestNode.CLUSTER_IP));
    }

    static Stream<Way> ways() {
        return Stream.of("pod", "neighbour", "node")
                .flatMap(from -> Stream.of(
                                TestNode.ADDRESS, TestNode.ADDRESS_IPV6, TestNode.CLUSTER_IP, TestNode.CLUSTER_IP_IPV6)
                        .map(address -> new Way(from, address)));
    }

    private void assertServedSoon(Way way, String server) throws Exception {
        Instant begin = Instant.now();
        assertThat(way.ask(node)).isEqualTo(server);
        assertThat(Duration.between(begin, Instant.now()))
                .as("its first SYN may be dropped, its second one may not")
                .isLessThan(SECOND_SYN);
    }

    private boolean isServed(Way way) throws Exception {
        try {
            way.ask(node);
            return true;
        } catch (ConnectException _) {
            return false;
        }
    }
}
