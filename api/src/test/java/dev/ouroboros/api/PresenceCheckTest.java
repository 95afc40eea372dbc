package dev.ouroboros.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class PresenceCheckTest {
    private final AtomicBoolean gaveUp = new AtomicBoolean();

    private boolean findsNobodyAt(InetSocketAddress address) {
        try (PresenceCheck check = PresenceCheck.begin(address, SourcePorts.ANY, () -> gaveUp.set(true))) {
            return check.awaitNobody();
        }
    }

    @Test
    void whoTakesConnectionsOrRefusesThemIsThere() throws IOException {
        InetSocketAddress address;
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            address = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
            assertThat(findsNobodyAt(address)).as("it takes them").isFalse();
        }
        assertThat(findsNobodyAt(address)).as("it refuses them").isFalse();
        assertThat(gaveUp).isFalse();
    }

    /** As a machine without power: a SYN is not answered. Here because the queue of connections is full. */
    @Test
    void whoAnswersNoSynIsNotThere() throws IOException {
        List<Socket> queue = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), full.getLocalPort());
            while (connects(address, queue)) {
                assertThat(queue).hasSizeLessThan(20);
            }
            assertThat(findsNobodyAt(address)).isTrue();
            assertThat(gaveUp).isTrue();
        } finally {
            for (Socket socket : queue) {
                socket.close();
            }
        }
    }

    private static boolean connects(InetSocketAddress address, List<Socket> queue) throws IOException {
        Socket socket = new Socket();
        queue.add(socket);
        try {
            socket.connect(address, 300);
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    @Test
    void anAnswerInTimeEndsTheCheckBeforeItConnects() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout(1000);
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
            PresenceCheck.begin(address, SourcePorts.ANY, () -> gaveUp.set(true))
                    .close();
            assertThatThrownBy(server::accept).isInstanceOf(SocketTimeoutException.class);
        }
        assertThat(gaveUp).isFalse();
    }
}
