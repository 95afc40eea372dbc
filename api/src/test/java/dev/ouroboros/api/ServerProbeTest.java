package dev.ouroboros.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.evidence.Health.NotReady;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

final class ServerProbeTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final Health NOTHING = new Health.NotListening();

    private FakeApiServer server;
    private Instant now = BEGIN;
    private ServerProbe probe;

    @BeforeEach
    void start(@TempDir Path directory) throws Exception {
        server = new FakeApiServer(new TestAuthority());
        Path kubeconfig = server.writeKubeconfig(directory.resolve("kubeconfig"));
        Endpoint endpoint = KubeconfigJson.read(kubeconfig, Files.readString(kubeconfig), Optional.empty());
        InstantSource clock = () -> now;
        probe = ServerProbe.of(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()), () -> endpoint, clock);
    }

    @AfterEach
    void stop() throws Exception {
        probe.close();
        server.close();
    }

    /** As a list of servers names it on a disk that was moved there, or at an address that another cluster has by now. */
    @Test
    void aServerOfAnotherClusterIsNeverReady(@TempDir Path directory) throws Exception {
        Path kubeconfig = server.writeKubeconfig(directory.resolve("kubeconfig"));
        Endpoint endpoint = KubeconfigJson.read(kubeconfig, Files.readString(kubeconfig), Optional.empty());
        try (FakeApiServer foreign = new FakeApiServer(new TestAuthority());
                ServerProbe probeOfIt = ServerProbe.ofMany(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), foreign.port()),
                        SourcePorts.ANY,
                        () -> endpoint,
                        () -> now)) {
            assertThat(probeOfIt.probe(NOTHING)).isInstanceOf(NotReady.class);
            assertThat(foreign.requests()).as("nothing is said to it").isEmpty();
        }
    }

    /** A kept connection would go on to the server that had the clients before. */
    @Test
    void asANewClientItHasANewConnectionEachTime(@TempDir Path directory) throws Exception {
        Path kubeconfig = server.writeKubeconfig(directory.resolve("kubeconfig"));
        Endpoint endpoint = KubeconfigJson.read(kubeconfig, Files.readString(kubeconfig), Optional.empty());
        try (ServerProbe newClient = ServerProbe.asNewClient(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()), () -> endpoint, () -> now)) {
            Health first = newClient.probe(NOTHING);
            assertThat(first).isEqualTo(new Health.Ready(BEGIN));
            now = now.plusSeconds(1);
            assertThat(newClient.probe(first)).isEqualTo(first);
        }
        assertThat(server.accepted()).isEqualTo(2);
    }

    @Test
    void asksOverOneConnectionAndNowAndThenOverAFreshOne() throws Exception {
        Health first = probe.probe(NOTHING);
        assertThat(first).isEqualTo(new Health.Ready(BEGIN));
        for (int second = 0; second < 59; second++) {
            now = now.plusSeconds(1);
            assertThat(probe.probe(first)).isEqualTo(first);
        }
        assertThat(server.accepted()).isEqualTo(1);

        now = now.plusSeconds(1);
        assertThat(probe.probe(first)).isEqualTo(first);
        assertThat(server.accepted()).isEqualTo(2);
    }

    @Test
    void triesAFreshConnectionBeforeItSaysThatAServerIsNotReady() throws Exception {
        Health first = probe.probe(NOTHING);
        server.cutConnections();

        assertThat(probe.probe(first)).isEqualTo(first);
        assertThat(server.accepted()).isEqualTo(2);
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void tellsAServerThatSaysNothingFromOneThatIsNotReady() throws Exception {
        Health ready = probe.probe(NOTHING);
        server.freeze();
        Health silent = probe.probe(ready);
        assertThat(silent)
                .isInstanceOfSatisfying(
                        NotReady.class,
                        health -> assertThat(health.silentSince()).contains(BEGIN));

        now = now.plus(Duration.ofSeconds(7));
        assertThat(probe.probe(silent)).isEqualTo(silent);

        server.thaw();
        server.readyz("[-]etcd failed: reason withheld");
        assertThat(probe.probe(silent)).isEqualTo(new NotReady("[-]etcd failed: reason withheld"));
    }

    /** It answers something, so it lives: what /readyz looks at may be slow. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void takesNoServerThatAnswersAnythingForSilent() throws Exception {
        server.fault("GET /readyz", new FakeApiServer.Fault.Hang());

        Health slow = probe.probe(probe.probe(NOTHING));

        assertThat(slow).isEqualTo(new NotReady("Read timed out"));
        assertThat(server.requests()).contains("GET /version");
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void takesAServerForSilentThatShakesHandsAndAnswersNothing() throws Exception {
        Health ready = probe.probe(NOTHING);
        server.fault("GET /", new FakeApiServer.Fault.Hang());
        Health silent = probe.probe(ready);
        assertThat(silent).isEqualTo(new NotReady("shakes hands and answers nothing", Optional.of(BEGIN)));

        now = now.plus(Duration.ofSeconds(7));
        assertThat(probe.probe(silent)).as("each handshake is no news").isEqualTo(silent);

        server.heal();
        assertThat(probe.probe(silent)).isEqualTo(new Health.Ready(now));
    }

    /** One question that a new server does not answer may be a slow one. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void asksANewServerTwiceBeforeItIsSilent() throws Exception {
        server.fault("GET /", new FakeApiServer.Fault.Hang());
        Health first = probe.probe(NOTHING);
        assertThat(first).isEqualTo(new NotReady("Read timed out"));

        now = now.plusSeconds(1);
        assertThat(probe.probe(first)).isEqualTo(new NotReady("shakes hands and answers nothing", Optional.of(now)));
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void hearsAServerThatAnswersBadlyAfterItWasSilent() throws Exception {
        server.fault("GET /", new FakeApiServer.Fault.Hang());
        Health silent = probe.probe(probe.probe(NOTHING));
        server.fault("GET /", new FakeApiServer.Fault.Status(429, Map.of()));

        assertThat(probe.probe(silent))
                .isInstanceOfSatisfying(
                        NotReady.class,
                        health -> assertThat(health.silentSince()).isEmpty());
    }

    /** Found on an emulated machine: a principal that answered after five seconds was taken for one that hangs, and cut off. */
    @Test
    void waitsLongerForAServerThatIsSlow() throws Exception {
        server.fault("GET /readyz", new FakeApiServer.Fault.Late(Duration.ofSeconds(1)));
        Health first = probe.probe(NOTHING);
        server.heal();
        server.fault("GET /readyz", new FakeApiServer.Fault.Late(Duration.ofMillis(3500)));

        assertThat(probe.probe(first)).isEqualTo(first);
        assertThat(server.accepted()).isEqualTo(1);
    }
}
