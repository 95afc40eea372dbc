package dev.ouroboros.keeper.report;

import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.http.PageServer;
import dev.ouroboros.node.http.PageServer.Page;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What the keeper serves on loopback, for probes, a scraper and {@code ouro}; no page tells a secret.
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
    private final PageServer server;

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
        Map<String, Supplier<Page>> served = Map.of(
                "/healthz",
                () -> Page.check(pages.unhealthy().get()),
                "/readyz",
                () -> Page.check(pages.unready().get()),
                "/metrics",
                () -> Page.metrics(pages.metrics().get()),
                "/state",
                () -> Page.json(pages.state().get()),
                "/decisions",
                () -> Page.json(pages.decisions().get()));
        server = PageServer.inSuccession("keeper", port, served);
    }

    public int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.close();
    }
}
