package dev.ouroboros.node.http;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Waiting;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server of plain HTTP, for probes, a metrics scraper and {@code ouro}. It only answers GET, and its pages hold no secret, so that no password is
 * needed. It takes one request a connection: less than the JDK's server can do, and a megabyte lighter.
 */
public final class PageServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PageServer.class);
    private static final String OK = "200 OK";
    private static final String PLAIN = "text/plain; charset=utf-8";
    /** A client that is silent for so long is disconnected. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Duration SUCCESSION = Duration.ofSeconds(10);

    private static final int LARGEST_HEAD = 16 << 10;
    private static final int MOST_AT_ONCE = 256;

    private final String component;
    private final ServerSocket listener;
    private final Map<String, Supplier<Page>> pages;
    private final Semaphore free = new Semaphore(MOST_AT_ONCE);
    private final Set<Socket> clients = ConcurrentHashMap.newKeySet();

    /**
     * Begins to serve.
     *
     * @param component for the log
     * @param pages by path
     * @throws ProblemException PORT_IN_USE
     */
    public PageServer(String component, InetSocketAddress address, Map<String, Supplier<Page>> pages) {
        this(component, address, pages, Duration.ZERO);
    }

    private PageServer(
            String component, InetSocketAddress address, Map<String, Supplier<Page>> pages, Duration patience) {
        this.component = component;
        this.pages = Map.copyOf(pages);
        this.listener = listener(address, patience);
        Thread.ofVirtual().name("status").start(this::listen);
    }

    /**
     * Begins to serve on loopback, on the port that a process before this one had. It may be taken for a moment still: by the accepting thread of
     * that process, and by a child that it was just starting, which has copies of all sockets until it runs its program.
     *
     * @throws ProblemException PORT_IN_USE after ten seconds
     */
    public static PageServer inSuccession(String component, int port, Map<String, Supplier<Page>> pages) {
        return new PageServer(
                component, new InetSocketAddress(InetAddress.getLoopbackAddress(), port), pages, SUCCESSION);
    }

    private static ServerSocket listener(InetSocketAddress address, Duration patience) {
        AtomicReference<Optional<ServerSocket>> made = new AtomicReference<>(Optional.empty());
        AtomicReference<IOException> why = new AtomicReference<>(new IOException("not tried"));
        new Waiting(InstantSource.system())
                .until(
                        () -> {
                            try {
                                made.set(Optional.of(new ServerSocket(address.getPort(), 0, address.getAddress())));
                                return true;
                            } catch (IOException e) {
                                why.set(e);
                                return false;
                            }
                        },
                        patience);
        return made.get()
                .orElseThrow(() -> new ProblemException(
                        new Problem(
                                ErrorCode.PORT_IN_USE,
                                address.getAddress().getHostAddress() + ":" + address.getPort(),
                                "cannot be listened on: " + why.get().getMessage(),
                                "a free port",
                                "set another with --health-port"),
                        why.get()));
    }

    /**
     * One page.
     *
     * @param status code and words, as in {@code 200 OK}
     * @param type of the body
     */
    public record Page(String status, String type, String body) {
        /** Some JSON. */
        public static Page json(byte[] body) {
            return new Page(OK, "application/json", new String(body, StandardCharsets.UTF_8));
        }

        /** As Prometheus reads it. */
        public static Page metrics(String body) {
            return new Page(OK, "text/plain; version=0.0.4", body);
        }

        /** A health page: 200 where there is no problem, else 503 with the problem. */
        public static Page check(Optional<String> problem) {
            return problem.map(why -> new Page("503 Service Unavailable", PLAIN, why + "\n"))
                    .orElseGet(() -> new Page(OK, PLAIN, "ok\n"));
        }

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
                        LOG.debug("component={} event=status-client-gone reason=\"{}\"", component, e.toString());
                    } finally {
                        clients.remove(client);
                        free.release();
                    }
                });
            } catch (IOException e) {
                free.release();
                if (!listener.isClosed()) {
                    LOG.warn("component={} event=status-client-lost reason=\"{}\"", component, e.toString());
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
                .map(this::made)
                .orElseGet(() -> new Page("404 Not Found", PLAIN, "not found\n"));
        client.getOutputStream().write(page.toBytes());
        client.shutdownOutput();
    }

    private Page made(Supplier<Page> page) {
        try {
            return page.get();
        } catch (RuntimeException e) {
            // Every expected failure is part of a page: this one is a defect.
            LOG.error("component={} event=defect reason=\"{}\"", component, e.toString(), e);
            return new Page("500 Internal Server Error", PLAIN, e + "\n");
        }
    }

    private static String path(String target) {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    /** The request line. The headers after it are read too: closing a socket with unread bytes would reset the connection. */
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

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket client : clients) {
                client.close();
            }
        } catch (IOException e) {
            LOG.warn("component={} event=status-not-closed reason=\"{}\"", component, e.toString());
        }
    }
}
