package dev.ouroboros.keeper.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class StatusServerTest {
    private final AtomicReference<Optional<String>> illness = new AtomicReference<>(Optional.empty());
    private final StatusServer server = new StatusServer(
            0,
            new StatusServer.Pages(
                    illness::get,
                    () -> Optional.of("the runtime is not seen"),
                    () -> "some_metric 1\n",
                    () -> "{\"naïve\":true}".getBytes(StandardCharsets.UTF_8),
                    () -> {
                        throw new IllegalStateException("a defect");
                    }));

    @AfterEach
    void close() {
        server.close();
    }

    private HttpResponse<String> ask(String method, String path) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                    .method(method, HttpRequest.BodyPublishers.noBody())
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void servesEachPage() throws IOException, InterruptedException {
        assertThat(ask("GET", "/metrics").body()).isEqualTo("some_metric 1\n");
        assertThat(ask("GET", "/metrics?name=all").statusCode()).isEqualTo(200);
        assertThat(ask("GET", "/state").body()).isEqualTo("{\"naïve\":true}");
        assertThat(ask("GET", "/state").headers().firstValue("Content-Type")).contains("application/json");
        assertThat(ask("GET", "/readyz").statusCode()).isEqualTo(503);
        assertThat(ask("GET", "/readyz").body()).contains("the runtime is not seen");
    }

    @Test
    void saysHowItIsNow() throws IOException, InterruptedException {
        assertThat(ask("GET", "/healthz").statusCode()).isEqualTo(200);

        illness.set(Optional.of("has not decided for 31 s"));

        assertThat(ask("GET", "/healthz").statusCode()).isEqualTo(503);
    }

    @Test
    void servesNothingElse() throws IOException, InterruptedException {
        assertThat(ask("GET", "/").statusCode()).isEqualTo(404);
        assertThat(ask("GET", "/metrics/x").statusCode()).isEqualTo(404);
        assertThat(ask("POST", "/metrics").statusCode()).isEqualTo(404);
    }

    @Test
    void outlivesAnyClient() throws IOException, InterruptedException {
        try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), server.port());
                Socket rude = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            rude.getOutputStream().write("\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(rude.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 404 ");
            assertThat(silent.isConnected()).isTrue();

            assertThat(ask("GET", "/healthz").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void outlivesADefectOfAPage() throws IOException, InterruptedException {
        assertThat(ask("GET", "/decisions").statusCode()).isEqualTo(500);
        assertThat(ask("GET", "/healthz").statusCode()).isEqualTo(200);
    }

    @Test
    void namesThePortThatIsTaken() {
        assertThatThrownBy(() -> new StatusServer(
                        server.port(),
                        new StatusServer.Pages(
                                Optional::empty, Optional::empty, () -> "", () -> new byte[0], () -> new byte[0])))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(Integer.toString(server.port()));
    }
}
