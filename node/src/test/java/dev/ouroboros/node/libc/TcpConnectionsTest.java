package dev.ouroboros.node.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.node.port.Listeners;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Needs CAP_NET_ADMIN and a kernel with CONFIG_INET_DIAG_DESTROY, as Debian's. */
@Tag("e2e")
@Timeout(30)
final class TcpConnectionsTest {
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void whoWaitsForAnAnswerGetsAnErrorAndOthersGoOn(String loopback) throws Exception {
        InetAddress address = InetAddress.ofLiteral(loopback);
        try (ServerSocket silent = new ServerSocket(0, 10, address);
                ServerSocket other = new ServerSocket(0, 10, address);
                Socket first = new Socket(address, silent.getLocalPort());
                Socket second = new Socket(address, silent.getLocalPort());
                Socket elsewhere = new Socket(address, other.getLocalPort());
                Socket accepted = other.accept()) {
            int ended = new TcpConnections().endAllTo(new InetSocketAddress(address, silent.getLocalPort()));

            assertThat(ended).isEqualTo(2);
            assertThatThrownBy(() -> first.getInputStream().read()).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> second.getInputStream().read()).isInstanceOf(IOException.class);
            accepted.getOutputStream().write(7);
            assertThat(elsewhere.getInputStream().read()).isEqualTo(7);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void bothEndsOfConnectionsAreTold(String loopback) throws Exception {
        InetAddress address = InetAddress.ofLiteral(loopback);
        // At every address, so that the kernel has connections of IPv4 among those of IPv6.
        try (ServerSocket everywhere = new ServerSocket(0, 10);
                Socket one = new Socket(address, everywhere.getLocalPort());
                Socket two = new Socket(address, everywhere.getLocalPort())) {
            List<InetSocketAddress> clients = List.of(
                    new InetSocketAddress(address, one.getLocalPort()),
                    new InetSocketAddress(address, two.getLocalPort()));
            assertThat(new TcpConnections().acceptedAt(everywhere.getLocalPort()))
                    .containsExactlyInAnyOrderElementsOf(clients);
            Map<InetSocketAddress, Long> ours = new TcpConnections().connectedTo(everywhere.getLocalPort());
            assertThat(ours).containsOnlyKeys(clients);
            Set<Long> sockets =
                    Listeners.ofThisMachine().socketsOf(ProcessHandle.current().pid());
            assertThat(sockets).containsAll(ours.values());
            everywhere.accept().close();
            everywhere.accept().close();
            assertThat(new TcpConnections().acceptedAt(everywhere.getLocalPort()))
                    .isEmpty();
        }
    }

    @Test
    void endsNothingWhereNobodyIsConnected() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            assertThat(new TcpConnections()
                            .endAllTo(new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort())))
                    .isZero();
        }
    }
}
