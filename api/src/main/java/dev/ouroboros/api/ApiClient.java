package dev.ouroboros.api;

import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.api.Connections.Loan;
import dev.ouroboros.api.HttpConnection.Answer;
import dev.ouroboros.api.HttpConnection.Request;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.node.disk.Disk;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** {@link Api} over HTTP/1.1 and TLS. */
public final class ApiClient implements Api, AutoCloseable {
    private static final int LARGEST_FAILURE = 1 << 20;
    private static final int LONGEST_DETAIL = 2000;
    private static final String JSON = "application/json";

    private final Connections connections;
    private final Limits limits;
    private final String userAgent;
    private final AtomicLong requests = new AtomicLong();

    /**
     * What a client spends on a request.
     *
     * @param connect time to connect, and again to shake hands
     * @param request time for a request and its answer together
     * @param largestAnswer in bytes; all of it is in memory
     * @param mostIdle connections that are kept for the next requests
     * @param ports that connections leave from
     */
    public record Limits(
            Duration connect,
            Duration request,
            int largestAnswer,
            int mostIdle,
            HttpConnection.ServerNames names,
            SourcePorts ports) {
        /** Limits of a daemon, which runs on a node and talks to that node's API server. */
        public static final Limits OF_A_NODE = new Limits(
                Duration.ofSeconds(3),
                Duration.ofSeconds(10),
                8 << 20,
                2,
                HttpConnection.ServerNames.NOT_COMPARED,
                SourcePorts.ANY);

        /**
         * Limits of a command.
         *
         * @param request time for a request and its answer together
         */
        public static Limits ofACommand(Duration request) {
            return new Limits(
                    request, request, Integer.MAX_VALUE, 8, HttpConnection.ServerNames.COMPARED, SourcePorts.ANY);
        }

        /**
         * Limits of a command that asks each server of a cluster by itself, at addresses that the server's certificate need not name.
         *
         * @param connect time to connect, and again to shake hands
         * @param request time for a request and its answer together
         * @param ports that connections leave from, so that the node's balancer does not lead them to another server
         */
        public static Limits ofOneServer(Duration connect, Duration request, SourcePorts ports) {
            return new Limits(connect, request, Integer.MAX_VALUE, 1, HttpConnection.ServerNames.NOT_COMPARED, ports);
        }
    }

    /**
     * @param server replaces that of the kubeconfig, if given
     */
    public ApiClient(Disk disk, Path kubeconfig, Optional<URI> server, String userAgent) {
        this(new KubeconfigSource(disk, kubeconfig, server), userAgent);
    }

    public ApiClient(EndpointSource source, String userAgent) {
        this(source, Limits.OF_A_NODE, userAgent);
    }

    /** A client whose endpoint never changes. */
    public ApiClient(Endpoint endpoint, Limits limits, String userAgent) {
        this(EndpointSource.of(endpoint), limits, userAgent);
    }

    private ApiClient(EndpointSource source, Limits limits, String userAgent) {
        this.connections = new Connections(source, limits);
        this.limits = limits;
        this.userAgent = userAgent;
    }

    /** Requests sent so far, for the metrics. */
    public long requests() {
        return requests.get();
    }

    /** Where the API is and who we are to it, as the source says now. */
    public Endpoint endpoint() throws ApiException {
        return connections.endpoint();
    }

    @Override
    public void reconnect() {
        connections.reconnect();
    }

    @Override
    public Json get(ApiPath path) throws ApiException {
        return exchange("GET", path, "", "");
    }

    /** The body at a path as text, for example metrics or the log of a container. */
    public String text(ApiPath path) throws ApiException {
        return new String(exchange("GET", path, "", "", true), StandardCharsets.UTF_8);
    }

    @Override
    public Json update(ApiPath object, Json content) throws ApiException {
        return exchange("PUT", object, JSON, text(content));
    }

    @Override
    public Json create(ApiPath collection, Json object) throws ApiException {
        return exchange("POST", collection, JSON, text(object));
    }

    @Override
    public Json patch(ApiPath object, PatchType type, Json patch) throws ApiException {
        return exchange("PATCH", object, type.mediaType(), text(patch));
    }

    @Override
    public void delete(ApiPath object, String uid, Grace grace) throws ApiException {
        Json.Fields options = Json.object()
                .with("kind", Json.text("DeleteOptions"))
                .with("apiVersion", Json.text("v1"))
                .with("preconditions", Json.object().with("uid", Json.text(uid)));
        exchange(
                "DELETE",
                object,
                JSON,
                text(
                        switch (grace) {
                            case ITS_OWN -> options;
                            case NONE -> options.with("gracePeriodSeconds", Json.number(0));
                        }));
    }

    @Override
    public Watch watch(ApiPath collection, String version, Duration lifetime, Duration silence) throws ApiException {
        ApiPath path = collection
                .with("watch", "true")
                .with("allowWatchBookmarks", "true")
                .with("resourceVersion", version)
                .with("timeoutSeconds", Long.toString(lifetime.toSeconds()));
        requests.incrementAndGet();
        Optional<Loan> opened = Optional.empty();
        try {
            Loan loan = connections.openForWatch();
            opened = Optional.of(loan);
            Answer answer = loan.connection().exchange(request("GET", loan.endpoint(), path, "", ""));
            if (answer.status() != 200) {
                throw failure(path, answer);
            }
            return new StreamedWatch(loan.connection(), answer.body(), path, lifetime, silence);
        } catch (IOException e) {
            opened.ifPresent(loan -> loan.connection().close());
            throw explained(path, e);
        }
    }

    private Json exchange(String method, ApiPath path, String mediaType, String body) throws ApiException {
        boolean repeatable = method.equals("GET") || mediaType.equals(PatchType.APPLY.mediaType());
        byte[] answer = exchange(method, path, mediaType, body, repeatable);
        try {
            return JsonText.read(answer);
        } catch (MalformedJson e) {
            throw explained(path, e);
        }
    }

    /**
     * Sends a request.
     *
     * @param repeatable whether it may be sent again when its outcome is not known. A server may just have closed a kept connection, so only a
     * repeatable request is sent on one
     */
    private byte[] exchange(String method, ApiPath path, String mediaType, String body, boolean repeatable)
            throws ApiException {
        requests.incrementAndGet();
        try {
            Loan loan = repeatable ? connections.borrow() : connections.open();
            try {
                return exchange(loan, method, path, mediaType, body);
            } catch (SocketTimeoutException | ProtocolException e) {
                throw e;
            } catch (IOException e) {
                if (!loan.reused() || e instanceof ApiException) {
                    throw e;
                }
            }
            return exchange(connections.open(), method, path, mediaType, body);
        } catch (IOException e) {
            throw explained(path, e);
        }
    }

    private byte[] exchange(Loan loan, String method, ApiPath path, String mediaType, String body) throws IOException {
        try {
            Answer answer = loan.connection().exchange(request(method, loan.endpoint(), path, mediaType, body));
            if (answer.status() < 200 || answer.status() > 299) {
                throw failure(path, answer);
            }
            return answer.bodyUpTo(limits.largestAnswer());
        } finally {
            connections.giveBack(loan);
        }
    }

    private static String text(Json value) {
        return new String(JsonText.write(value), StandardCharsets.UTF_8);
    }

    private Request request(String method, Endpoint endpoint, ApiPath path, String mediaType, String body) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Accept", JSON + ", */*;q=0.1");
        headers.put("User-Agent", userAgent);
        if (!mediaType.isEmpty()) {
            headers.put("Content-Type", mediaType);
        }
        endpoint.token().ifPresent(token -> headers.put("Authorization", "Bearer " + token));
        return new Request(method, endpoint.target(path.text()), endpoint.authority(), headers, body);
    }

    private static ApiException failure(ApiPath path, Answer answer) throws IOException {
        byte[] body = answer.body().readNBytes(LARGEST_FAILURE);
        Json said = status(body);
        String why = said.at("message")
                .text()
                .or(() -> new String(body, StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> !line.isBlank() && said.isNull())
                        .findFirst())
                .map(text -> ": " + (text.length() > LONGEST_DETAIL ? text.substring(0, LONGEST_DETAIL) : text))
                .orElse("");
        String message = path.text() + ": " + answer.status() + why;
        Optional<Duration> retryAfter = answer.header("Retry-After")
                .filter(seconds -> seconds.matches("\\d{1,4}"))
                .map(seconds -> Duration.ofSeconds(Long.parseLong(seconds)));
        return new ApiException(
                kindOf(answer.status()), message, retryAfter, new ApiException.Refusal(answer.status(), said));
    }

    /** The {@code Status} object of an answer's body; absent where the body is something else, as a proxy's page: then the status line has to do. */
    private static Json status(byte[] body) {
        try {
            return JsonText.read(body);
        } catch (MalformedJson e) {
            return Json.absent();
        }
    }

    private static Kind kindOf(int status) {
        return switch (status) {
            case 401, 403 -> Kind.FORBIDDEN;
            case 404 -> Kind.NOT_FOUND;
            case 409 -> Kind.CONFLICT;
            case 410 -> Kind.EXPIRED;
            case 429 -> Kind.THROTTLED;
            default -> status >= 500 ? Kind.SERVER_ERROR : status >= 400 ? Kind.REFUSED : Kind.GARBAGE;
        };
    }

    /** Every failure with its kind. */
    static ApiException explained(ApiPath path, IOException e) {
        String message = path.text() + ": " + (e.getMessage() == null ? e.toString() : e.getMessage());
        return switch (e) {
            case ApiException known -> known;
            case SocketTimeoutException _ -> new ApiException(Kind.TIMEOUT, message, e);
            case MalformedJson _, ProtocolException _ -> new ApiException(Kind.GARBAGE, message, e);
            default -> new ApiException(Kind.UNREACHABLE, message, e);
        };
    }

    @Override
    public void close() {
        connections.close();
    }
}
