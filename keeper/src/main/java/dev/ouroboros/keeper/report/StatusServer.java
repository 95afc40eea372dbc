package dev.ouroboros.keeper.report;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plain HTTP on loopback, for probes, a scraper and {@code ouro}. Only reads, tells no secret, and so needs no password. One request a
 * connection, and only GET: that is less than the JDK's server can, and a megabyte lighter.
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
    private static final Logger LOG = LoggerFactory.getLogger(StatusServer.class);
    private static final String JSON = "application/json";
    private static final String PLAIN = "text/plain; charset=utf-8";
    /** A client that says nothing for so long is hung up on. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final int LARGEST_HEAD = 16 << 10;
    private static final int MOST_AT_ONCE = 256;

    private final ServerSocket listener;
    private final Map<String, Supplier<Page>> pages;
    private final Semaphore free = new Semaphore(MOST_AT_ONCE);
    private final Set<Socket> clients = ConcurrentHashMap.newKeySet();

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
        this.pages = Map.of(
                "/healthz",
                () -> check(pages.unhealthy().get()),
                "/readyz",
                () -> check(pages.unready().get()),
                "/metrics",
                () -> new Page(
                        "200 OK", "text/plain; version=0.0.4", pages.metrics().get()),
                "/state",
                () -> new Page("200 OK", JSON, text(pages.state().get())),
                "/decisions",
                () -> new Page("200 OK", JSON, text(pages.decisions().get())));
        try {
            listener = new ServerSocket(port, 0, InetAddress.getLoopbackAddress());
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
        Thread.ofVirtual().name("status").start(this::listen);
    }

    private record Page(String status, String type, String body) {
        byte[] toBytes() {
            byte[] content = body.getBytes(StandardCharsets.UTF_8);
            String head = "HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\nContent-Length: " + content.length
                    + "\r\nConnection: close\r\n\r\n";
            ByteArrayOutputStream all = new ByteArrayOutputStream(head.length() + content.length);
            all.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
            all.writeBytes(content);
            return all.toByteArray();
        }
    }

    public int port() {
        return listener.getLocalPort();
    }

    private void listen() {
        while (!listener.isClosed()) {
            try {
                free.acquire();
                Socket client = accept();
                Thread.ofVirtual().name("status-client").start(() -> {
                    try (client) {
                        answer(client);
                    } catch (IOException e) {
                        // Whoever asked has gone: nobody is left to be told.
                        LOG.debug("component=keeper event=status-client-gone reason=\"{}\"", e.toString());
                    } finally {
                        clients.remove(client);
                        free.release();
                    }
                });
            } catch (IOException e) {
                free.release();
                if (!listener.isClosed()) {
                    LOG.warn("component=keeper event=status-client-lost reason=\"{}\"", e.toString());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private Socket accept() throws IOException {
        Socket client = listener.accept();
        clients.add(client);
        if (listener.isClosed()) {
            client.close();
        }
        return client;
    }

    private void answer(Socket client) throws IOException {
        client.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
        InputStream input = new BufferedInputStream(client.getInputStream(), 1024);
        String[] request = head(input).split(" ", 3);
        Page page = Optional.of(request)
                .filter(words -> words.length == 3 && words[0].equals("GET"))
                .flatMap(words -> Optional.ofNullable(pages.get(path(words[1]))))
                .map(StatusServer::made)
                .orElseGet(() -> new Page("404 Not Found", PLAIN, "not found\n"));
        client.getOutputStream().write(page.toBytes());
        client.shutdownOutput();
    }

    private static Page made(Supplier<Page> page) {
        try {
            return page.get();
        } catch (RuntimeException e) {
            // Every expected failure is part of a page: this one is a defect.
            LOG.error("component=keeper event=defect reason=\"{}\"", e.toString(), e);
            return new Page("500 Internal Server Error", PLAIN, e + "\n");
        }
    }

    private static String path(String target) {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    /** The request line; what follows up to an empty line is read too, so that closing does not reset the connection. */
    private static String head(InputStream input) throws IOException {
        StringBuilder head = new StringBuilder(256);
        while (head.indexOf("\r\n\r\n", Math.max(0, head.length() - 4)) < 0) {
            int next = input.read();
            if (next < 0 || head.length() >= LARGEST_HEAD) {
                throw new IOException("not a request");
            }
            head.append((char) next);
        }
        return head.substring(0, head.indexOf("\r\n"));
    }

    private static Page check(Optional<String> problem) {
        return problem.map(why -> new Page("503 Service Unavailable", PLAIN, why + "\n"))
                .orElseGet(() -> new Page("200 OK", PLAIN, "ok\n"));
    }

    private static String text(byte[] json) {
        return new String(json, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket client : clients) {
                client.close();
            }
        } catch (IOException e) {
            LOG.warn("component=keeper event=status-not-closed reason=\"{}\"", e.toString());
        }
    }
}
