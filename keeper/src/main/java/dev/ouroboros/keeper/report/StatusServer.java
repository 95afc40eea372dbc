package dev.ouroboros.keeper.report;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * Plain HTTP on loopback, for probes, a scraper and {@code ouro}. Only reads, tells no secret, and so needs no password.
 *
 * <table>
 *   <caption>What it serves</caption>
 *   <tr><td>/healthz</td><td>200 while the decider decides</td></tr>
 *   <tr><td>/readyz</td><td>200 when it also sees the node: runtime, disk, front</td></tr>
 *   <tr><td>/metrics</td><td>Prometheus</td></tr>
 *   <tr><td>/state</td><td>where each component stands, JSON</td></tr>
 *   <tr><td>/decisions</td><td>what was done lately and why, JSON</td></tr>
 * </table>
 */
public final class StatusServer implements AutoCloseable {
    private static final String JSON = "application/json";
    private static final String PLAIN = "text/plain; charset=utf-8";

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /**
     * What is served.
     *
     * @param unhealthy why the keeper does not work, or empty
     * @param unready why it does not see the node, or empty
     */
    public record Pages(
            Supplier<Optional<String>> unhealthy,
            Supplier<Optional<String>> unready,
            Supplier<String> metrics,
            Supplier<byte[]> state,
            Supplier<byte[]> decisions) {}

    /** @throws ProblemException PORT_IN_USE */
    public StatusServer(int port, Pages pages) {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        } catch (IOException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.PORT_IN_USE,
                            "127.0.0.1:" + port,
                            "cannot be listened on: " + e.getMessage(),
                            "a free port",
                            "set another with --health-port"),
                    e);
        }
        server.setExecutor(threads);
        serve("/healthz", () -> check(pages.unhealthy().get()));
        serve("/readyz", () -> check(pages.unready().get()));
        serve(
                "/metrics",
                () -> new Page(
                        200, "text/plain; version=0.0.4", bytes(pages.metrics().get())));
        serve("/state", () -> new Page(200, JSON, pages.state().get()));
        serve("/decisions", () -> new Page(200, JSON, pages.decisions().get()));
        server.start();
    }

    private record Page(int status, String type, Body body) {
        Page(int status, String type, byte[] body) {
            this(status, type, Body.of(body));
        }
    }

    /** Bytes in a record. */
    private interface Body {
        void writeTo(OutputStream output) throws IOException;

        static Body of(byte[] bytes) {
            return output -> output.write(bytes);
        }
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private void serve(String path, Supplier<Page> page) {
        server.createContext(path, exchange -> {
            try (exchange) {
                boolean wanted = exchange.getRequestMethod().equals("GET")
                        && exchange.getRequestURI().getPath().equals(path);
                answer(exchange, wanted ? page.get() : new Page(404, PLAIN, bytes("not found\n")));
            }
        });
    }

    private static void answer(HttpExchange exchange, Page page) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", page.type());
        exchange.sendResponseHeaders(page.status(), 0);
        page.body().writeTo(exchange.getResponseBody());
    }

    private static Page check(Optional<String> problem) {
        return problem.map(why -> new Page(503, PLAIN, bytes(why + "\n")))
                .orElseGet(() -> new Page(200, PLAIN, bytes("ok\n")));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
