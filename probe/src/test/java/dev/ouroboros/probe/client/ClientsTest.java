package dev.ouroboros.probe.client;

import static dev.ouroboros.probe.testing.ScriptedServer.answer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.probe.testing.ScriptedServer;
import dev.ouroboros.probe.testing.ScriptedServer.Step;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClientsTest {
    private static final ApiRequest READY = ApiRequest.get("/readyz");
    private static final ApiRequest POST = ApiRequest.post("/things", "{}");
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(300);

    @Test
    void newClientConnectsForEachRequest() throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                FreshClient client = new FreshClient(server.endpoint(), LONG)) {
            assertThat(client.call(READY)).isEqualTo(new Outcome.Answered(200, "ok", 0));
            assertThat(client.call(READY)).isEqualTo(new Outcome.Answered(200, "ok", 0));
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void newClientShowsCertificateAndToken() throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                FreshClient client = new FreshClient(server.authenticatedEndpoint(), LONG)) {
            client.call(READY);
            assertThat(server.requests())
                    .singleElement()
                    .asString()
                    .contains("Authorization: Bearer secret")
                    .contains("subject: CN=client");
        }
    }

    @Test
    void newClientFailsOnResetEndRefusalAndError() throws Exception {
        try (ScriptedServer server =
                        new ScriptedServer(new Step.Reset(), new Step.CloseBeforeAnswer(), answer(500, ""));
                FreshClient client = new FreshClient(server.endpoint(), LONG)) {
            assertThat(client.call(READY).failure()).contains("Connection reset");
            assertThat(client.call(READY).failure()).contains("EOF before the end of the answer");
            assertThat(client.call(READY).failure())
                    .hasValueSatisfying(why -> assertThat(why).startsWith("HTTP 500"));
            server.kill();
            assertThat(client.call(READY).failure()).contains("connect: Connection refused");
        }
    }

    @Test
    void newClientGivesUpAtTheDeadline() throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                FreshClient warm = new FreshClient(server.endpoint(), LONG);
                FreshClient client = new FreshClient(server.endpoint(), SHORT)) {
            warm.call(READY);
            server.then(new Step.Hang());
            assertThat(client.call(READY).failure()).contains("timeout: no answer within 300 ms");
        }
    }

    @Test
    void doesNotTrustAnotherAuthority() throws Exception {
        try (ScriptedServer server = new ScriptedServer()) {
            Endpoint stranger = Endpoint.of(
                    server.endpoint().server(),
                    List.of(new TestAuthority().certificate()),
                    Optional.empty(),
                    Optional.empty());
            try (FreshClient fresh = new FreshClient(stranger, LONG);
                    PooledClient pooled = new PooledClient(stranger, LONG, System::nanoTime)) {
                assertThat(fresh.call(READY).failure()).isPresent();
                assertThat(pooled.call(READY).failure()).isPresent();
                assertThat(pooled.call(READY).retries()).isZero();
            }
        }
    }

    @Test
    void refusesACertificateForAnotherName() throws Exception {
        try (ScriptedServer server = new ScriptedServer()) {
            URI localhost = URI.create("https://localhost:" + server.endpoint().port());
            try (FreshClient client = new FreshClient(server.endpoint().at(localhost), LONG)) {
                assertThat(client.call(READY).failure()).isPresent();
            }
        }
    }

    @Test
    void keepAliveClientUsesItsConnectionAgain() throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                KeepAliveClient client = new KeepAliveClient(server.endpoint(), LONG)) {
            client.call(READY);
            client.call(POST);
            client.call(READY);
            assertThat(server.connections()).isEqualTo(1);
            assertThat(server.requests()).hasSize(3);
        }
    }

    @Test
    void keepAliveClientLeavesAConnectionThatTheServerClosedWhileIdle() throws Exception {
        try (ScriptedServer server = new ScriptedServer(new Step.AnswerThenClose());
                KeepAliveClient client = new KeepAliveClient(server.endpoint(), LONG)) {
            assertThat(client.call(READY).failure()).isEmpty();
            server.awaitClosed(1);
            assertThat(client.call(READY).failure()).isEmpty();
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void keepAliveClientNeverSendsARequestTwice() throws Exception {
        try (ScriptedServer server = new ScriptedServer(
                        answer(200, ""), new Step.CloseBeforeAnswer(), answer(503, "Retry-After: 1\r\n"));
                KeepAliveClient client = new KeepAliveClient(server.endpoint(), LONG)) {
            assertThat(client.call(READY).failure()).isEmpty();
            assertThat(client.call(POST).failure()).contains("EOF before the end of the answer");
            assertThat(client.call(READY).failure()).isPresent();
            assertThat(server.requests()).hasSize(3);
        }
    }

    @Test
    void keepAliveClientReadsChunks() throws Exception {
        try (ScriptedServer server = new ScriptedServer(new Step.Answer(
                        200, "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"));
                KeepAliveClient client = new KeepAliveClient(server.endpoint(), LONG)) {
            assertThat(client.call(READY)).isEqualTo(new Outcome.Answered(200, "abcde", 0));
            client.call(READY);
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void pooledClientWaitsAsLongAsRetryAfterSays() throws Exception {
        try (ScriptedServer server =
                        new ScriptedServer(answer(429, "Retry-After: 1\r\n"), answer(503, "Retry-After: 0\r\n"));
                PooledClient client = new PooledClient(server.endpoint(), LONG, System::nanoTime)) {
            long started = System.nanoTime();
            assertThat(client.call(POST)).isEqualTo(new Outcome.Answered(200, "ok", 2));
            assertThat(Duration.ofNanos(System.nanoTime() - started)).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        }
    }

    @Test
    void pooledClientStopsAfterTenRetries() throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                PooledClient client = new PooledClient(server.endpoint(), LONG, System::nanoTime)) {
            for (int i = 0; i < 20; i++) {
                server.then(answer(503, "Retry-After: 0\r\n"));
            }
            assertThat(client.call(READY).retries()).isEqualTo(10);
            assertThat(server.requests()).hasSize(11);
        }
    }

    @Test
    void pooledClientTakesARefusalWithoutRetryAfterAsFinal() throws Exception {
        try (ScriptedServer server = new ScriptedServer(answer(503, ""));
                PooledClient client = new PooledClient(server.endpoint(), LONG, System::nanoTime)) {
            assertThat(client.call(READY)).isEqualTo(new Outcome.Answered(503, "", 0));
        }
    }

    @Test
    void pooledClientRepeatsAGetOfALostConnectionButNoPost() throws Exception {
        try (ScriptedServer server = new ScriptedServer(new Step.CloseBeforeAnswer());
                PooledClient client = new PooledClient(server.endpoint(), LONG, System::nanoTime)) {
            assertThat(client.call(READY).failure()).isEmpty();
        }
        try (ScriptedServer server = new ScriptedServer(new Step.CloseBeforeAnswer());
                PooledClient client = new PooledClient(server.endpoint(), LONG, System::nanoTime)) {
            assertThat(client.call(POST).failure()).isPresent();
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    void pooledClientHasOneDeadlineForAllAttempts() throws Exception {
        try (ScriptedServer server = new ScriptedServer(answer(503, "Retry-After: 60\r\n"));
                PooledClient client = new PooledClient(server.endpoint(), LONG, System::nanoTime)) {
            assertThat(client.call(READY)).isEqualTo(new Outcome.Answered(503, "", 0));
        }
    }
}
