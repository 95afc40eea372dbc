package dev.ouroboros.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.cluster.JoinDiscovery.Trust;
import dev.ouroboros.endpoint.AuthorityHash;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.testing.TestAuthority;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class JoinDiscoveryTest {
    private static final String TOKEN = "abcdef.0123456789abcdef";
    private static final String CONFIG = "/api/v1/namespaces/kube-system/configmaps/ouroboros-joining";

    private final LoopbackApi api = LoopbackApi.presenting();

    JoinDiscoveryTest() throws Exception {}

    @AfterEach
    void close() {
        api.close();
    }

    private JoinDiscovery join(Trust trust) {
        return JoinDiscovery.of(api.url(), trust, TOKEN, InstantSource.system());
    }

    private Trust rightHash() {
        return new Trust.Hash(AuthorityHash.of(api.authority()));
    }

    @Test
    void theAuthorityIsFoundByItsHashAndTheTokenShownToItsServer() {
        api.on("GET", CONFIG, 200, """
                {"kind": "ConfigMap", "apiVersion": "v1", "data": {"cluster": "clusterDNS: 10.3.0.10"}}""");
        api.on("GET", "/version", 200, "{\"gitVersion\": \"v1.36.3\"}");

        try (JoinDiscovery joining = join(rightHash())) {
            assertThat(joining.authority()).isEqualTo(api.authority());
            assertThat(joining.settings()).isEqualTo(Map.of("cluster", "clusterDNS: 10.3.0.10"));
            assertThat(joining.serverVersion()).isEqualTo("v1.36.3");
            assertThat(joining.node("one")).isEmpty();
        }
        assertThat(api.tokens()).contains("Bearer " + TOKEN);
    }

    @Test
    void aServerOfAnotherAuthorityGetsNoToken() throws Exception {
        AuthorityHash other = AuthorityHash.of(new TestAuthority().certificate());

        assertThatThrownBy(() -> join(new Trust.Hash(other)))
                .hasMessageContaining("shows the authority " + AuthorityHash.of(api.authority()))
                .hasMessageContaining(other.toString());
        assertThatThrownBy(() -> join(new Trust.Certificates(List.of(new TestAuthority().certificate()))))
                .hasMessageContaining("did not issue the certificate");
        assertThat(api.tokens()).isEmpty();
    }

    @Test
    void oneThatSendsItsOwnCertificateOnlyWantsTheAuthorityItself() throws Exception {
        try (LoopbackApi alone = new LoopbackApi()) {
            assertThatThrownBy(() -> JoinDiscovery.of(
                            alone.url(),
                            new Trust.Hash(AuthorityHash.of(alone.authority())),
                            TOKEN,
                            InstantSource.system()))
                    .hasMessageContaining("say --ca-file FILE in place of --ca-hash");
            assertThat(JoinDiscovery.shownAuthority(endpoint(alone))).isEmpty();
            JoinDiscovery.of(
                            alone.url(),
                            new Trust.Certificates(List.of(alone.authority())),
                            TOKEN,
                            InstantSource.system())
                    .close();
        }
        assertThat(JoinDiscovery.shownAuthority(endpoint(api))).contains(AuthorityHash.of(api.authority()));
    }

    private static Endpoint endpoint(LoopbackApi server) {
        return Endpoint.of(server.url(), List.of(server.authority()), Optional.empty(), Optional.empty());
    }

    @Test
    void whoShowsTheAuthorityWithoutBeingOfItGetsNoToken() throws Exception {
        TestAuthority cluster = new TestAuthority();
        try (LoopbackApi between = LoopbackApi.showing(cluster.certificate())) {
            Trust trust = new Trust.Hash(AuthorityHash.of(cluster.certificate()));

            assertThatThrownBy(() -> JoinDiscovery.of(between.url(), trust, TOKEN, InstantSource.system()))
                    .hasMessageContaining("which did not issue its own certificate");
            assertThat(between.tokens()).isEmpty();
            Endpoint admins =
                    Endpoint.of(between.url(), List.of(cluster.certificate()), Optional.empty(), Optional.empty());
            assertThatThrownBy(() -> JoinDiscovery.shownAuthority(admins))
                    .hasMessageContaining(between.url().toString());
        }
    }

    @Test
    void aTokenThatIsNotKnownIsNamedWithoutItsSecret() {
        api.refuse("GET", CONFIG, 401, "Unauthorized");

        try (JoinDiscovery joining = join(rightHash())) {
            assertThatThrownBy(joining::settings)
                    .hasMessageContaining("--token abcdef")
                    .hasMessageContaining("has expired")
                    .hasMessageNotContaining("0123456789abcdef");
        }
    }

    @Test
    void aClusterThatHasNothingForWhoJoinsSaysWhatToApply() {
        try (JoinDiscovery joining = join(rightHash())) {
            assertThatThrownBy(joining::settings).hasMessageContaining("ouro upgrade plan");
        }
    }

    @Test
    void aClockThatIsWrongIsSaid() {
        for (Duration off : List.of(Duration.ofMinutes(-10), Duration.ofMinutes(10), Duration.ofHours(3))) {
            assertThatThrownBy(() -> JoinDiscovery.of(
                            api.url(), rightHash(), TOKEN, () -> Instant.now().plus(off)))
                    .hasMessageContaining("this machine's clock");
        }
        assertThat(api.tokens()).isEmpty();
    }

    @Test
    void anAddressThatIsNotInTheCertificateIsAnsweredWithThoseThatAre() {
        URI other = URI.create("https://localhost:" + api.url().getPort());

        assertThatThrownBy(() -> JoinDiscovery.of(other, rightHash(), TOKEN, InstantSource.system()))
                .hasMessageContaining("is not for localhost")
                .hasMessageContaining("127.0.0.1, " + TestAuthority.NODE);
    }

    @Test
    void aNameThatNobodyKnowsIsSaid() {
        // A label of a name has 63 characters at most: nobody is asked for this one.
        URI nobody = URI.create("https://" + "n".repeat(64) + ".invalid:6443");

        assertThatThrownBy(() -> JoinDiscovery.of(nobody, rightHash(), TOKEN, InstantSource.system()))
                .hasMessageContaining(".invalid cannot be resolved");
    }

    /** As a load balancer without servers does: it takes the connection and ends it. */
    @Test
    void aLoadBalancerThatServesNothingIsSaid() throws Exception {
        try (ServerSocket balancer = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> reset(balancer));

            assertThatThrownBy(() -> JoinDiscovery.of(
                            URI.create("https://127.0.0.1:" + balancer.getLocalPort()),
                            rightHash(),
                            TOKEN,
                            InstantSource.system()))
                    .hasMessageContaining("takes the connection and ends it")
                    .hasMessageContaining("a load balancer without a server");
        }
    }

    private static void reset(ServerSocket balancer) {
        try (Socket client = balancer.accept()) {
            client.setSoLinger(true, 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void anAddressWhereNobodyListensIsSaid() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }

        assertThatThrownBy(() -> JoinDiscovery.of(
                        URI.create("https://127.0.0.1:" + port), rightHash(), TOKEN, InstantSource.system()))
                .hasMessageContaining("nobody listens there")
                .hasMessageContaining("TCP port " + port);
    }
}
