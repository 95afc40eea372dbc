package dev.ouroboros.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.evidence.Evidence;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SecretsProbeTest {
    private HttpsServer server;
    private SecretsProbe probe;
    private int status = 200;

    @BeforeEach
    void start() throws Exception {
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        TestAuthority authority = new TestAuthority();
        server.setHttpsConfigurator(new HttpsConfigurator(authority.serverContext()));
        server.createContext("/api/v1/namespaces/kube-system/secrets", this::answer);
        server.start();
        Endpoint endpoint = Endpoint.of(
                URI.create("https://127.0.0.1:" + server.getAddress().getPort()),
                List.of(authority.certificate()),
                Optional.empty(),
                Optional.empty());
        probe = new SecretsProbe(endpoint, server.getAddress(), () -> Instant.EPOCH);
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        if (status > 0) {
            exchange.sendResponseHeaders(status, -1);
        }
        exchange.close();
    }

    @Test
    void aServerThatListsSecretsReadsThem() {
        assertThat(probe.listsSecrets()).isEqualTo(Evidence.known(true));
    }

    /** 500: "unable to transform key", with a wrong encryption key. */
    @ParameterizedTest
    @ValueSource(ints = {500, 401, 403})
    void aServerThatRefusesThemDoesNot(int refusal) {
        status = refusal;

        assertThat(probe.listsSecrets()).isEqualTo(Evidence.known(false));
    }

    /** Pods are deleted on this evidence: that nobody answered in time says nothing of keys. */
    @ParameterizedTest
    @ValueSource(ints = {429, 503, 504, 0})
    void aServerThatHasTooMuchToDoOrHangsUpHasNotSaid(int trouble) {
        status = trouble;

        assertThat(probe.listsSecrets()).isInstanceOf(Evidence.Unknown.class);
    }

    @Test
    void aServerThatIsNotThereHasNotSaid() {
        server.stop(0);

        assertThat(probe.listsSecrets()).isInstanceOf(Evidence.Unknown.class);
    }
}
