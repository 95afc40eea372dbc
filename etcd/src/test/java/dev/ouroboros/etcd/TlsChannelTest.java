package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.endpoint.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TlsChannelTest {
    private static final Duration LIMIT = Duration.ofSeconds(3);

    @TempDir
    private Path directory = Path.of("");

    /** A hash of a database, or its defragmentation. */
    @Test
    void anAnswerMayTakeLongerThanTheHandshakeMay() throws Exception {
        TestIdentity identity = new TestIdentity(directory);
        CountDownLatch patience = new CountDownLatch(1);
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> answerLater(server, identity, patience));
            Endpoint endpoint = EtcdServers.of(List.of("https://127.0.0.1:" + server.getLocalPort()), identity.client())
                    .members()
                    .getFirst();
            try (TlsChannel channel = TlsChannel.connect(endpoint, LIMIT)) {
                assertThat(channel.read(ByteBuffer.allocate(1))).isEqualTo(1);
            }
        } finally {
            patience.countDown();
        }
    }

    private static void answerLater(ServerSocket server, TestIdentity identity, CountDownLatch patience) {
        try (Socket plain = server.accept()) {
            SSLSocket tls = identity.accepting(plain, "TLSv1.3");
            tls.startHandshake();
            assertThat(patience.await(LIMIT.multipliedBy(2).toMillis(), TimeUnit.MILLISECONDS))
                    .as("the client gave up")
                    .isFalse();
            tls.getOutputStream().write(1);
            assertThat(patience.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (IOException e) {
            throw new IllegalStateException("answering", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
