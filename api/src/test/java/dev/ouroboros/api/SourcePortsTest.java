package dev.ouroboros.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.BindException;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;

final class SourcePortsTest {
    @Test
    void aPortThatSomebodyListensOnIsPassedOverAndWithoutAnyOtherItSaysSo() throws Exception {
        try (ServerSocket taken = new ServerSocket(0);
                Socket socket = new Socket()) {
            int port = taken.getLocalPort();
            assertThatThrownBy(() -> SourcePorts.between(port, port).bind(socket))
                    .isInstanceOf(BindException.class);

            SourcePorts.between(port, Math.min(65535, port + 20)).bind(socket);
            assertThat(socket.getLocalPort()).isGreaterThan(port).isLessThanOrEqualTo(port + 20);
        }
    }

    @Test
    void anyPortIsTheKernelsChoice() throws Exception {
        try (Socket socket = new Socket()) {
            SourcePorts.ANY.bind(socket);
            assertThat(socket.isBound()).isFalse();
        }
    }
}
