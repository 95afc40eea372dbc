package dev.ouroboros.node.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.http.PageServer.Page;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

final class PageServerTest {
    private static final Map<String, Supplier<Page>> PAGES = Map.of("/healthz", () -> Page.check(Optional.empty()));

    private static ServerSocket anotherOne() throws IOException {
        return new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    }

    private static String ask(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write("GET /healthz HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private static boolean isWaiting() {
        return Thread.getAllStackTraces().values().stream()
                .map(List::of)
                .anyMatch(stack ->
                        stack.stream().anyMatch(frame -> frame.getClassName().endsWith(".Waiting"))
                                && stack.stream()
                                        .anyMatch(frame -> frame.getMethodName().equals("inSuccession")));
    }

    /** Found on three nodes that booted at once: a keeper ended because the port of the one before it was taken still, and nobody kept the node until it was started again. */
    @Test
    void whoSucceedsAnotherWaitsForItsPort() throws Exception {
        ServerSocket before = anotherOne();
        int port = before.getLocalPort();
        CompletableFuture<PageServer> successor =
                CompletableFuture.supplyAsync(() -> PageServer.inSuccession("test", port, PAGES));
        while (!successor.isDone() && !isWaiting()) {
            Thread.onSpinWait();
        }
        assertThat(successor).isNotDone();

        before.close();

        try (PageServer server = successor.get()) {
            assertThat(ask(server.port())).startsWith("HTTP/1.1 200 OK").endsWith("ok\n");
        }
    }

    @Test
    void whoSucceedsNobodySaysAtOnceThatThePortIsTaken() throws Exception {
        try (ServerSocket another = anotherOne()) {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), another.getLocalPort());
            Refusal.of(() -> new PageServer("test", address, PAGES), ErrorCode.PORT_IN_USE)
                    .lineContains("127.0.0.1:" + another.getLocalPort() + ": cannot be listened on")
                    .nextContains("--health-port");
        }
    }
}
