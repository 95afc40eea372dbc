package dev.ouroboros.api;

import dev.ouroboros.api.HttpConnection.Answer;
import dev.ouroboros.api.HttpConnection.NobodyThere;
import dev.ouroboros.api.HttpConnection.OpeningLimits;
import dev.ouroboros.api.HttpConnection.Request;
import dev.ouroboros.api.HttpConnection.ServerNames;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.evidence.Health;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * Asks one API server for {@code /readyz}, over a connection that is kept for a while, unless it asks as a new client: a
 * handshake costs both sides more than all the rest. A fresh connection every {@link #FRESH_AFTER} proves that new clients get through too. When a kept connection fails, a
 * fresh one is tried at once, before anything bad is said of the server. A server that was restarted is always asked over a fresh
 * connection.
 *
 * <p>A server that left a question without an answer is asked for its version first: that is a constant, which needs neither etcd nor a
 * disk, and every authenticated client may ask for it (k8s.io/apiserver/pkg/server/routes, ClusterRole system:public-info-viewer). A
 * server that does not answer that either, over a connection on which it has just completed a handshake, answers nobody: for its clients
 * it hangs. How long an answer may take depends on how long others took ({@link AnswerLimit}).
 */
public final class ServerProbe implements AutoCloseable {
    private static final Duration FRESH_AFTER = Duration.ofSeconds(60);
    private static final int LARGEST_ANSWER = 64 << 10;
    private static final int LONGEST_DETAIL = 4 << 10;
    private static final String QUESTION = "/readyz";
    private static final String SIGN_OF_LIFE = "/version";

    /** Another server can take a silent one's place at once, so that a silent one is given up sooner. */
    private static final Duration SHORTEST_OF_MANY = Duration.ofSeconds(1);

    private static final Duration LONGEST_OF_MANY = Duration.ofSeconds(8);

    private final boolean keeps;
    private final SourcePorts ports;
    private final InetSocketAddress address;
    private final Credentials credentials;
    private final InstantSource clock;
    private final AnswerLimit limit;
    private final boolean ofMany;
    private Optional<Context> context = Optional.empty();
    private Optional<HttpConnection> kept = Optional.empty();
    private Instant opened = Instant.MIN;
    private boolean unanswered;
    private volatile boolean away;

    /** Where our credentials come from; they may be unreadable for a while. */
    public interface Credentials {
        Endpoint now() throws ApiException;
    }

    /** One context for all probes of an endpoint: handshakes after the first are short. */
    private record Context(Endpoint endpoint, SSLContext tls) {}

    private ServerProbe(
            boolean keeps,
            SourcePorts ports,
            InetSocketAddress address,
            Credentials credentials,
            AnswerLimit limit,
            boolean ofMany,
            InstantSource clock) {
        this.keeps = keeps;
        this.ports = ports;
        this.address = address;
        this.credentials = credentials;
        this.limit = limit;
        this.ofMany = ofMany;
        this.clock = clock;
    }

    /** A probe over a kept connection: on a slow machine a handshake costs the server more than the answer. */
    public static ServerProbe of(InetSocketAddress address, Credentials credentials, InstantSource clock) {
        return onThisNode(true, address, credentials, clock);
    }

    /** A probe over a new connection each time, as a new client makes it, of an address that leads to different servers over time. */
    public static ServerProbe asNewClient(InetSocketAddress address, Credentials credentials, InstantSource clock) {
        return onThisNode(false, address, credentials, clock);
    }

    private static ServerProbe onThisNode(
            boolean keeps, InetSocketAddress address, Credentials credentials, InstantSource clock) {
        AnswerLimit limit = new AnswerLimit(clock);
        return new ServerProbe(keeps, SourcePorts.ANY, address, credentials, limit, false, clock);
    }

    /** A probe of one of several servers, over a kept connection that leaves from one of these ports. */
    public static ServerProbe ofMany(
            InetSocketAddress address, SourcePorts ports, Credentials credentials, InstantSource clock) {
        AnswerLimit limit = new AnswerLimit(SHORTEST_OF_MANY, LONGEST_OF_MANY, clock);
        return new ServerProbe(true, ports, address, credentials, limit, true, clock);
    }

    /**
     * One probe.
     *
     * @param previous the last result: a server that stays ready keeps its time
     * @throws ApiException when there is nothing to probe with
     */
    public Health probe(Health previous) throws ApiException {
        try {
            return ask(previous);
        } finally {
            if (!keeps) {
                close();
            }
        }
    }

    private Health ask(Health previous) throws ApiException {
        SSLContext tls = tls();
        Optional<Instant> givenUp = Optional.empty();
        if (kept.isPresent() && clock.instant().isBefore(opened.plus(FRESH_AFTER))) {
            try {
                return ofMany ? askOneOfMany(kept.get(), previous) : ask(kept.get(), previous);
            } catch (SocketTimeoutException e) {
                limit.gaveUp();
                unanswered = true;
                givenUp = Optional.of(clock.instant());
            } catch (IOException e) {
                // A server may close a connection at any time, and one that was kept may lead to a server that has
                // gone.
                close();
            }
        }
        close();
        away = false;
        HttpConnection connection;
        try {
            long begun = System.nanoTime();
            connection = open(tls);
            limit.took(since(begun));
        } catch (BindException e) {
            throw new ApiException(
                    ApiException.Kind.UNREACHABLE, address + ": no port is free to ask from: " + e.getMessage(), e);
        } catch (ConnectException e) {
            unanswered = false;
            limit.heard();
            return new Health.NotListening();
        } catch (NobodyThere e) {
            away = true;
            limit.gaveUp();
            unanswered = true;
            return silent("cannot be reached: " + e.getMessage(), previous, givenUp.orElse(clock.instant()));
        } catch (SocketTimeoutException e) {
            limit.gaveUp();
            unanswered = true;
            return silent("takes connections and says nothing", previous, givenUp.orElse(clock.instant()));
        } catch (IOException e) {
            return notReady(e);
        }
        kept = Optional.of(connection);
        opened = clock.instant();
        return askFresh(connection, previous);
    }

    /**
     * Probes the server and, while its answer is waited for, its machine ({@link PresenceCheck}): how long a server takes says nothing of whether its
     * machine is there.
     */
    private Health askOneOfMany(HttpConnection connection, Health previous) throws IOException {
        Instant asked = clock.instant();
        try (PresenceCheck presence = PresenceCheck.begin(address, ports, connection::close)) {
            try {
                return ask(connection, previous);
            } catch (IOException e) {
                if (presence.foundNobody()) {
                    close();
                    away = true;
                    unanswered = true;
                    return silent("cannot be reached", previous, asked);
                }
                throw e;
            }
        }
    }

    private HttpConnection open(SSLContext tls) throws IOException {
        return HttpConnection.open(tls, address, ports, openingLimits(), ServerNames.NOT_COMPARED);
    }

    private OpeningLimits openingLimits() {
        Duration now = limit.now();
        return new OpeningLimits(ofMany ? PresenceCheck.LONGEST_CONNECT : now, now);
    }

    /** Whether the last attempt to connect got no answer at all: the server's machine is off, or cannot be reached. */
    public boolean isAway() {
        return away;
    }

    private Health askFresh(HttpConnection connection, Health previous) {
        if (unanswered) {
            try {
                exchange(connection, SIGN_OF_LIFE);
            } catch (SocketTimeoutException e) {
                limit.gaveUp();
                close();
                return silent("shakes hands and answers nothing", previous, opened);
            } catch (IOException e) {
                close();
                return notReady(e);
            }
        }
        try {
            return ask(connection, previous);
        } catch (SocketTimeoutException e) {
            limit.gaveUp();
            unanswered = true;
            close();
            return notReady(e);
        } catch (IOException e) {
            close();
            return notReady(e);
        }
    }

    /**
     * The health of a server that left unanswered what every live server answers, however busy: the first message of a
     * handshake, or {@code /version} after a handshake, besides whatever was asked before.
     *
     * @param since when the server last spoke, or when the first question was given up
     */
    private static Health silent(String detail, Health previous, Instant since) {
        Optional<Instant> before =
                previous instanceof Health.NotReady(var _, Optional<Instant> silent) ? silent : Optional.empty();
        return new Health.NotReady(detail, Optional.of(before.orElse(since)));
    }

    private static Health notReady(IOException e) {
        return new Health.NotReady(e.getMessage() == null ? e.toString() : e.getMessage());
    }

    private SSLContext tls() throws ApiException {
        Endpoint endpoint = credentials.now();
        if (context.isEmpty() || !context.get().endpoint().equals(endpoint)) {
            close();
            context = Optional.of(new Context(endpoint, endpoint.newSslContext()));
        }
        return context.get().tls();
    }

    private Health ask(HttpConnection connection, Health previous) throws IOException {
        Said answer = exchange(connection, QUESTION);
        String body = answer.body();
        unanswered = false;
        limit.heard();
        if (!connection.isReusable()) {
            close();
        }
        if (answer.status() == 200) {
            return previous instanceof Health.Ready ? previous : new Health.Ready(clock.instant());
        }
        String detail = body.isBlank() ? answer.statusLine() : body;
        return new Health.NotReady(detail.length() > LONGEST_DETAIL ? detail.substring(0, LONGEST_DETAIL) : detail);
    }

    /** A whole answer. */
    private record Said(int status, String statusLine, String body) {}

    private Said exchange(HttpConnection connection, String path) throws IOException {
        Map<String, String> headers = context.flatMap(known -> known.endpoint().token())
                .map(token -> Map.of("Authorization", "Bearer " + token))
                .orElse(Map.of());
        long begun = System.nanoTime();
        connection.within(limit.now());
        Answer answer = connection.exchange(new Request("GET", path, "kubernetes", headers, ""));
        String body = new String(answer.bodyUpTo(LARGEST_ANSWER), StandardCharsets.UTF_8);
        limit.took(since(begun));
        return new Said(answer.status(), answer.statusLine(), body);
    }

    private static Duration since(long begun) {
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    @Override
    public void close() {
        kept.ifPresent(HttpConnection::close);
        kept = Optional.empty();
    }
}
