package dev.ouroboros.node.front;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.node.process.LocalProcesses;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Point 7 of the list in docs/notes/front.md. */
@Tag("e2e")
@Timeout(60)
class FrontPreflightTest {
    private static final Duration LEASE = Duration.ofSeconds(60);

    private TestNode node;
    private Front front;
    private TlsTestServer.Identity serving;
    private TlsTestServer principal;
    private TlsTestServer understudy;

    @BeforeEach
    void startServers() throws Exception {
        node = new TestNode();
        front = node.front();
        serving = TlsTestServer.Identity.create("kube-apiserver");
        principal = TlsTestServer.start(node.namespace(), TestNode.PRINCIPAL_PORT, serving);
        understudy = TlsTestServer.start(node.namespace(), TestNode.UNDERSTUDY_PORT, serving);
        front.pointToUnderstudy(LEASE);
    }

    @AfterEach
    void stopServers() throws Exception {
        principal.close();
        understudy.close();
        node.close();
    }

    @Test
    void tellsServersThatShareTheirServingCertificateApart() throws Exception {
        Dialer dialer = Dialer.inside(node.namespace());
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        CertificateIdentity first = dialer.identify(loopback, TestNode.PRINCIPAL_PORT);
        assertThat(dialer.identify(loopback, TestNode.PRINCIPAL_PORT)).isEqualTo(first);
        assertThat(dialer.identify(loopback, TestNode.UNDERSTUDY_PORT)).isNotEqualTo(first);
    }

    @Test
    void findsNothingWhereNothingIsWrong() throws Exception {
        assertThat(check()).isEmpty();
        principal.close();
        assertThat(check()).isEmpty();
    }

    @Test
    void leavesNothingBehind() {
        String links = node.run("ip", "link");
        String routes = node.run("ip", "route");
        check();
        assertThat(node.run("ip", "link")).isEqualTo(links);
        assertThat(node.run("ip", "route")).isEqualTo(routes);
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void findsAFirewallThatDoesNotKnowTheUnderstudy() {
        node.run("nft", """
                add table inet firewall
                add chain inet firewall input { type filter hook input priority 0 ; policy drop ; }
                add rule inet firewall input iif lo accept
                add rule inet firewall input ct state established,related accept
                add rule inet firewall input meta l4proto ipv6-icmp accept
                add rule inet firewall input tcp dport { 22, 6443 } accept
                """);
        assertThat(check())
                .hasSize(2)
                .allSatisfy(problem -> assertThat(problem.code()).isEqualTo(ErrorCode.FRONT_BROKEN))
                .allSatisfy(problem -> assertThat(problem.next()).startsWith("let TCP port 26443 through"))
                .extracting(Problem::where)
                .containsExactly("192.168.50.1:26443", "[fd50:0:0:0:0:0:0:1]:26443");
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void findsARuleThatHidesTheFrontPortFromTranslation() throws Exception {
        node.run("nft", """
                add table inet fast
                add chain inet fast prerouting { type filter hook prerouting priority raw ; }
                add rule inet fast prerouting tcp dport 6443 notrack
                """);
        assertThat(check())
                .extracting(Problem::what)
                .containsOnly(
                        "another server than the understudy answers from off loopback, although the front points to it");
        principal.close();
        assertThat(check())
                .isNotEmpty()
                .extracting(Problem::what)
                .allSatisfy(what -> assertThat(what).startsWith("nobody answers from off loopback"));
    }

    @Test
    void findsARuleThatHidesTheFrontPortFromTheNodeItself() {
        node.run("nft", """
                add table inet fast
                add chain inet fast output { type filter hook output priority raw ; }
                add rule inet fast output tcp dport 6443 notrack
                """);
        assertThat(check())
                .isNotEmpty()
                .extracting(Problem::what)
                .allSatisfy(what -> assertThat(what).contains("from the node"));
    }

    @Test
    void findsATranslationThatComesBeforeOurs() throws Exception {
        node.run("nft", """
                add table ip early
                add chain ip early prerouting { type nat hook prerouting priority -150 ; }
                add rule ip early prerouting tcp dport 6443 dnat to 192.168.50.1:6444
                """);
        try (TlsTestServer _ = TlsTestServer.start(node.namespace(), 6444, serving)) {
            assertThat(check())
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.where()).isEqualTo("192.168.50.1:6443"));
        }
    }

    @Test
    void saysWhenTheUnderstudyIsNotThere() throws Exception {
        understudy.close();
        assertThat(check()).singleElement().satisfies(problem -> {
            assertThat(problem.code()).isEqualTo(ErrorCode.COMPONENT_FAILED);
            assertThat(problem.where()).isEqualTo("127.0.0.1:26443");
        });
    }

    @Test
    void saysWhenTheFrontDoesNotPointToTheUnderstudy() {
        front.pointToPrincipal();
        assertThat(check())
                .singleElement()
                .satisfies(problem -> assertThat(problem.what()).startsWith("does not point to the understudy"));
    }

    @Test
    void looksAtANodeWhosePrincipalServes() throws Exception {
        front.pointToPrincipal();
        translateServices();
        assertThat(look()).as("with an understudy beside it").isEmpty();
        understudy.close();
        assertThat(look()).as("with nobody on the understudy's port").isEmpty();
        assertThat(front.read()).isEqualTo(new FrontState.ToPrincipal());
    }

    @Test
    void looksAtANodeWhoseUnderstudyServes() throws Exception {
        principal.close();
        assertThat(look()).isEmpty();
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void findsAFirewallBeforeThereIsAnUnderstudy() throws Exception {
        front.pointToPrincipal();
        translateServices();
        understudy.close();
        node.run("nft", """
                add table inet firewall
                add chain inet firewall input { type filter hook input priority 0 ; policy accept ; }
                add rule inet firewall input iif != lo tcp dport 26443 drop
                """);
        assertThat(look())
                .hasSize(2)
                .allSatisfy(problem -> assertThat(problem.next()).startsWith("let TCP port 26443 through"))
                .extracting(Problem::where)
                .containsExactly("192.168.50.1:26443", "[fd50:0:0:0:0:0:0:1]:26443");
    }

    @Test
    void findsAnotherServerOnThePathToThePrincipal() throws Exception {
        front.pointToPrincipal();
        node.run("nft", """
                add table ip early
                add chain ip early prerouting { type nat hook prerouting priority -150 ; }
                add rule ip early prerouting tcp dport 6443 dnat to 192.168.50.1:6444
                """);
        try (TlsTestServer _ = TlsTestServer.start(node.namespace(), 6444, serving)) {
            assertThat(look()).singleElement().satisfies(problem -> {
                assertThat(problem.where()).isEqualTo("192.168.50.1:6443");
                assertThat(problem.what()).startsWith("another server than the principal answers from off loopback");
            });
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void findsAServiceThatNobodyTranslates() {
        front.pointToPrincipal();
        assertThat(look()).extracting(Problem::where).contains("10.3.0.1:443");
    }

    @Test
    void saysThatTheTableIsGone() {
        front.remove();
        assertThat(look())
                .singleElement()
                .satisfies(problem -> assertThat(problem.what()).isEqualTo("is not installed"));
    }

    /** As kube-proxy does. */
    private void translateServices() {
        node.run("nft", """
                add table inet proxy
                add chain inet proxy prerouting { type nat hook prerouting priority dstnat ; }
                add rule inet proxy prerouting ip daddr 10.3.0.1 tcp dport 443 dnat ip to 192.168.50.1:6443
                add rule inet proxy prerouting ip6 daddr fd03::1 tcp dport 443 dnat ip6 to [fd50::1]:6443
                """);
    }

    private List<Problem> check() {
        return with(FrontPreflight::check);
    }

    private List<Problem> look() {
        return with(FrontPreflight::look);
    }

    private List<Problem> with(Function<FrontPreflight, List<Problem>> question) {
        try (OffLoopback place =
                OffLoopback.open(new LocalProcesses(), node.namespace().prefix(), true)) {
            return question.apply(new FrontPreflight(front, Dialer.inside(node.namespace()), place.dialer()));
        }
    }
}
