package dev.ouroboros.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.KubeconfigFile;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** A cluster's API as the administrator reaches it from this machine; it may be gone at any moment. */
final class AdminApi implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Endpoint endpoint;
    private final HttpClient client;
    private volatile String refusal = "";

    AdminApi(Path kubeconfig) {
        endpoint = KubeconfigFile.read(kubeconfig, Optional.empty());
        client = HttpClient.newBuilder()
                .sslContext(endpoint.newSslContext())
                .proxy(HttpClient.Builder.NO_PROXY)
                // The handshake is part of it, which two busy processors take seconds for when sixteen begin at once.
                .connectTimeout(PATIENCE)
                .build();
    }

    /** What is there; empty while the API does not give it. */
    Optional<JsonNode> get(String path) throws InterruptedException {
        try {
            var answer = client.send(request(path).build(), BodyHandlers.ofString());
            return answer.statusCode() == 200 ? Optional.of(JSON.readTree(answer.body())) : Optional.empty();
        } catch (IOException e) {
            // It is gone, or does not answer.
            return Optional.empty();
        }
    }

    /** Whether the server says that it created the object. */
    boolean create(String path, JsonNode object) throws InterruptedException {
        HttpRequest request = request(path)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(object.toString()))
                .build();
        try {
            HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
            if (answer.statusCode() == 201) {
                return true;
            }
            refusal = answer.statusCode() + " " + answer.body();
        } catch (IOException e) {
            // As above: nobody knows whether it was created.
            refusal = e.toString();
        }
        return false;
    }

    /** What came last of a creation that did not succeed; empty for none. */
    String refusal() {
        return refusal;
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(endpoint.resolve(path)).timeout(PATIENCE);
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
