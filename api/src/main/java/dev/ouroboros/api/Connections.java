package dev.ouroboros.api;

import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;

/**
 * Connections to the API. Their credentials are read from the source for every new connection, so that a change takes effect with the next one. A few
 * connections are kept for later requests.
 */
final class Connections implements AutoCloseable {
    private static final Duration IDLE_LIMIT = Duration.ofSeconds(20);

    private final EndpointSource source;
    private final ApiClient.Limits limits;
    private final Deque<Idle> idle = new ArrayDeque<>();
    private final Set<HttpConnection> watches = ConcurrentHashMap.newKeySet();
    private Optional<Credentials> credentials = Optional.empty();

    private record Idle(HttpConnection connection, int generation, long since) {}

    /**
     * @param text what it was read from
     * @param generation one more with each change of the source
     */
    private record Credentials(String text, Endpoint endpoint, SSLContext context, int generation) {}

    /** A connection on loan. */
    record Loan(HttpConnection connection, Endpoint endpoint, int generation, boolean reused) {}

    Connections(EndpointSource source, ApiClient.Limits limits) {
        this.source = source;
        this.limits = limits;
    }

    /** The endpoint as it is now. */
    Endpoint endpoint() throws ApiException {
        return credentials().endpoint();
    }

    private synchronized Credentials credentials() throws ApiException {
        try {
            String text = source.text();
            if (credentials.isEmpty() || !credentials.get().text().equals(text)) {
                int generation =
                        credentials.map(before -> before.generation() + 1).orElse(0);
                Endpoint endpoint = source.endpoint(text);
                credentials = Optional.of(new Credentials(text, endpoint, endpoint.newSslContext(), generation));
            }
            return credentials.get();
        } catch (ProblemException e) {
            // What was read before is still worth trying: the file may be in the middle of being replaced.
            return credentials.orElseThrow(() -> new ApiException(Kind.NO_CREDENTIALS, e.describe(), e));
        }
    }

    /** A kept connection if there is one, else a new one. */
    Loan borrow() throws IOException {
        Credentials now = credentials();
        Optional<HttpConnection> kept = takeIdle(now);
        if (kept.isPresent()) {
            kept.get().within(limits.request());
            return new Loan(kept.get(), now.endpoint(), now.generation(), true);
        }
        return open();
    }

    Loan open() throws IOException {
        Credentials now = credentials();
        HttpConnection opened = HttpConnection.open(
                now.context(), now.endpoint().address(), limits.ports(), limits.connect(), limits.names());
        opened.within(limits.request());
        return new Loan(opened, now.endpoint(), now.generation(), false);
    }

    /** A connection that stays open for long, and is cut by {@link #reconnect}. */
    Loan openForWatch() throws IOException {
        Loan opened = open();
        watches.removeIf(watch -> !watch.isOpen());
        watches.add(opened.connection());
        return opened;
    }

    /** Cuts every connection: later ones lead to the server that the address leads to now. */
    synchronized void reconnect() {
        watches.forEach(HttpConnection::close);
        watches.clear();
        close();
    }

    private synchronized Optional<HttpConnection> takeIdle(Credentials now) {
        while (!idle.isEmpty()) {
            Idle last = idle.removeLast();
            boolean fresh = System.nanoTime() - last.since() < IDLE_LIMIT.toNanos();
            if (fresh
                    && last.generation() == now.generation()
                    && last.connection().isReusable()) {
                return Optional.of(last.connection());
            }
            last.connection().close();
        }
        return Optional.empty();
    }

    /** Keeps the connection if it can be used again, else closes it. */
    synchronized void giveBack(Loan loan) {
        boolean current = credentials.isPresent() && credentials.get().generation() == loan.generation();
        if (current && loan.connection().isReusable() && idle.size() < limits.mostIdle()) {
            idle.addLast(new Idle(loan.connection(), loan.generation(), System.nanoTime()));
        } else {
            loan.connection().close();
        }
    }

    @Override
    public synchronized void close() {
        idle.forEach(one -> one.connection().close());
        idle.clear();
    }
}
