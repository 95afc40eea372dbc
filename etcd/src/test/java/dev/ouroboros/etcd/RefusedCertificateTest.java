package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ouroboros.endpoint.ClientFiles;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.LocalDisk;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that do not like who we are: by an alert within the handshake, as TLS 1.2 has it, or by going right after it. */
final class RefusedCertificateTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    private Path directory = Path.of("");

    @SuppressWarnings("NullAway.Init") // made before each test
    private TestIdentity identity;

    @SuppressWarnings("NullAway.Init") // made before each test
    private ClientFiles strange;

    @BeforeEach
    void identities() throws Exception {
        identity = new TestIdentity(directory);
        TestIdentity other = new TestIdentity(Files.createDirectory(directory.resolve("other")));
        strange = new ClientFiles(
                Optional.of(identity.file("ca.crt")),
                Optional.of(other.file("client.crt")),
                Optional.of(other.file("client.key")));
    }

    @Test
    void anAlertSaysWhetherACertificateIsMissingOrRefused() throws Exception {
        assertAlerted(identity.nobody(), "wants a certificate (");
        assertAlerted(strange, "refused our certificate (");
    }

    private void assertAlerted(ClientFiles client, String what) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread judge = Thread.ofVirtual().start(() -> judge(server));
            SnapshotSaver saver = new SnapshotSaver(new LocalDisk(), InstantSource.system(), PATIENCE);
            assertThatThrownBy(() -> saver.save(
                            EtcdServers.of(List.of(url(server)), client),
                            new SnapshotName(directory.resolve("backup.db")),
                            new SnapshotRetention.All()))
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            failure -> assertThat(failure.problems())
                                    .singleElement()
                                    .satisfies(problem -> assertRefused(problem, server, what, "fatal alert")));
            judge.join();
        }
    }

    private static void assertRefused(Problem problem, ServerSocket server, String what, String why) {
        assertThat(problem.code()).isEqualTo(ErrorCode.ETCD_REFUSED);
        assertThat(problem.where()).isEqualTo("etcd " + url(server));
        assertThat(problem.what()).startsWith(what).contains(why);
        assertThat(problem.next()).isEqualTo("give it with --etcd-certificate-path and --etcd-private-key-path");
    }

    private static String url(ServerSocket server) {
        return "https://127.0.0.1:" + server.getLocalPort();
    }

    /** Says no, and stays until the client has gone: an alert is lost where the connection is reset behind it. */
    private void judge(ServerSocket server) {
        try (Socket plain = server.accept()) {
            SSLSocket tls = identity.accepting(plain, "TLSv1.2");
            tls.setNeedClientAuth(true);
            try {
                tls.startHandshake();
                throw new AssertionError("accepted");
            } catch (SSLException e) {
                plain.getInputStream().readAllBytes();
            }
        } catch (IOException e) {
            throw new IllegalStateException("judging", e);
        }
    }

    @Test
    void aServerThatIsGoneAfterTheHandshakeMayHaveRefusedUsHoweverWeNotice() throws Exception {
        assertGone(identity.nobody(), "wants a certificate (", channel -> channel.write(ByteBuffer.wrap(new byte[9])));
        assertGone(strange, "refused our certificate (", channel -> channel.write(ByteBuffer.wrap(new byte[9])));
        assertGone(strange, "refused our certificate (", channel -> channel.read(ByteBuffer.allocate(9)));
    }

    private interface Use {
        void of(TlsChannel channel) throws IOException;
    }

    private void assertGone(ClientFiles client, String what, Use use) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Boolean> reset = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> reset(server, reset));
            Endpoint endpoint =
                    EtcdServers.of(List.of(url(server)), client).members().getFirst();
            try (TlsChannel channel = TlsChannel.connect(endpoint, PATIENCE)) {
                assertThat(reset.get()).isTrue();
                IOException gone = catchThrowableOfType(IOException.class, () -> use.of(channel));
                assertRefused(
                        EtcdProblems.of(endpoint, gone),
                        server,
                        what,
                        "it closed the connection right after the handshake");
            }
        }
    }

    private void reset(ServerSocket server, CompletableFuture<Boolean> done) {
        try (Socket plain = server.accept()) {
            identity.accepting(plain, "TLSv1.3").startHandshake();
            // Its end is a reset.
            plain.setSoLinger(true, 0);
        } catch (IOException e) {
            done.completeExceptionally(e);
        }
        done.complete(true);
    }
}
