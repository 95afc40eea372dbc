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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** An API server on the loopback that says what it was told to, and of all else that there is nothing of the kind. */
final class LoopbackApi implements AutoCloseable {
    private record Answer(int status, String body) {}

    private final TestAuthority authority = new TestAuthority();
    private final HttpsServer server =
            HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final Map<String, Runnable> changes = new ConcurrentHashMap<>();

    private static final String CORE = """
            {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
             {"name": "configmaps", "kind": "ConfigMap", "namespaced": true}]}""";

    LoopbackApi() throws Exception {
        on("GET", "/api/v1", 200, CORE);
        server.setHttpsConfigurator(new HttpsConfigurator(authority.serverContext()));
        server.createContext("/", this::answer);
        server.start();
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
        return ClusterClient.connect(Endpoint.of(
                URI.create("https://127.0.0.1:" + server.getAddress().getPort()),
                List.of(authority.certificate()),
                Optional.empty(),
                Optional.empty()));
    }

    private void answer(HttpExchange exchange) throws IOException {
        boolean watches = String.valueOf(exchange.getRequestURI().getQuery()).contains("watch=true");
        String request = (watches ? "WATCH" : exchange.getRequestMethod()) + " "
                + exchange.getRequestURI().getPath();
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
