package dev.ouroboros.cluster;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.testing.TestAuthority;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** An API server on the loopback that says what it was told to, and of all else that there is nothing of the kind. */
final class LoopbackApi implements AutoCloseable {
    private record Answer(int status, String body) {}

    private final TestAuthority authority;
    private final HttpsServer server =
            HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final Map<String, Runnable> changes = new ConcurrentHashMap<>();
    private final List<String> tokens = new CopyOnWriteArrayList<>();

    private static final String CORE = """
            {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
             {"name": "configmaps", "kind": "ConfigMap", "namespaced": true}]}""";

    LoopbackApi() throws Exception {
        this(new TestAuthority(), List.of());
    }

    private LoopbackApi(TestAuthority authority, List<X509Certificate> shown) throws Exception {
        this.authority = authority;
        on("GET", "/api/v1", 200, CORE);
        server.setHttpsConfigurator(new HttpsConfigurator(authority.serverContext(shown)));
        server.createContext("/", this::answer);
        server.start();
    }

    /** One that sends its authority's certificate with its own. */
    static LoopbackApi presenting() throws Exception {
        TestAuthority own = new TestAuthority();
        return new LoopbackApi(own, List.of(own.certificate()));
    }

    /** One that sends another certificate behind its own. */
    static LoopbackApi showing(X509Certificate other) throws Exception {
        return new LoopbackApi(new TestAuthority(), List.of(other));
    }

    X509Certificate authority() {
        return authority.certificate();
    }

    URI url() {
        return URI.create("https://127.0.0.1:" + server.getAddress().getPort());
    }

    /** The requests so far that brought a token, with it. */
    List<String> tokens() {
        return List.copyOf(tokens);
    }

    /** From now on a request gets this, whatever its query; of a watch the method is WATCH. Without a body of its own, a Status of that code. */
    LoopbackApi on(String method, String path, int status, String body) {
        answers.put(method + " " + path, new Answer(status, body));
        return this;
    }

    /** Once such a request was made, the API is another. */
    LoopbackApi after(String method, String path, Runnable change) {
        changes.put(method + " " + path, change);
        return this;
    }

    LoopbackApi refuse(String method, String path, int status, String message) {
        return on(method, path, status, """
                {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "%s", "code": %d}""".formatted(message, status));
    }

    ClusterClient client() {
        return ClusterClient.connect(
                Endpoint.of(url(), List.of(authority.certificate()), Optional.empty(), Optional.empty()));
    }

    private void answer(HttpExchange exchange) throws IOException {
        boolean watches = String.valueOf(exchange.getRequestURI().getQuery()).contains("watch=true");
        String request = (watches ? "WATCH" : exchange.getRequestMethod()) + " "
                + exchange.getRequestURI().getPath();
        Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization"))
                .ifPresent(tokens::add);
        Answer answer = answers.getOrDefault(request, new Answer(404, """
                {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "not found", "code": 404}"""));
        changes.getOrDefault(request, () -> {}).run();
        byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.getRequestBody().readAllBytes();
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(answer.status(), bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
