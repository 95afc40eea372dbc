package dev.ouroboros.node.port;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.evidence.Health;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class PortProbeTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void whoListensIsReadyFromTheFirstLookOn() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            Health first = PortProbe.probe(server.getLocalPort(), new Health.NotListening(), () -> BEGIN);
            Health second = PortProbe.probe(server.getLocalPort(), first, () -> BEGIN.plusSeconds(1));

            assertThat(first).isEqualTo(new Health.Ready(BEGIN));
            assertThat(second).isEqualTo(first);
            assertThat(PortProbe.listens(server.getLocalPort())).isTrue();
        }
    }

    @Test
    void whoHasEndedDoesNotListen() throws IOException {
        int port;
        try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            port = server.getLocalPort();
        }

        assertThat(PortProbe.probe(port, new Health.Ready(BEGIN), () -> BEGIN)).isEqualTo(new Health.NotListening());
        assertThat(PortProbe.listens(port)).isFalse();
    }
}
