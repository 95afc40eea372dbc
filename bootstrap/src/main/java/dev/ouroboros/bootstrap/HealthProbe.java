package dev.ouroboros.bootstrap;

import dev.ouroboros.api.AnswerLimit;
import dev.ouroboros.api.HttpConnection;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLContext;

/**
 * Asks one address of an API server for {@code /readyz}, each time over a new connection. The certificate must come from the
 * cluster's CA; its names are not compared, as the address may be a loopback address that a certificate need not have.
 */
final class HealthProbe {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final String HEALTH = "/readyz";
    private static final int OK = 200;
    private static final Set<Integer> TOO_BUSY = Set.of(429, 503, 504);
    private static final String SECRETS = "/api/v1/namespaces/kube-system/secrets?limit=500";

    /** One context for all probes: handshakes after the first are short, and the server still takes part in each of them. */
    private final SSLContext context;

    private final InetSocketAddress address;
    private final Optional<String> token;
    private final InstantSource clock;
    private final AnswerLimit limit;

    HealthProbe(Endpoint endpoint, InetSocketAddress address, InstantSource clock) {
        this.context = endpoint.newSslContext();
        this.address = address;
        this.token = endpoint.token();
        this.clock = clock;
        this.limit = new AnswerLimit(clock);
    }

    /**
     * One probe.
     *
     * @param previous the last result: a server that stays ready keeps its time
     */
    Health probe(Health previous) {
        try {
            HttpConnection.Answer answer = ask(HEALTH);
            if (answer.status() != OK) {
                return new Health.NotReady(answer.statusLine());
            }
            return previous instanceof Health.Ready ? previous : new Health.Ready(clock.instant());
        } catch (ConnectException e) {
            return new Health.NotListening();
        } catch (IOException e) {
            return new Health.NotReady(e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    /**
     * Whether the server lists Secrets. Without a resource version the list is read from etcd, and each Secret decrypted: {@code /readyz}
     * knows nothing of a wrong key. Unknown when the server does not answer in time, or is too busy.
     */
    Evidence<Boolean> listsSecrets() {
        try {
            HttpConnection.Answer answer = ask(SECRETS);
            return TOO_BUSY.contains(answer.status())
                    ? Evidence.unknown("listing Secrets: " + answer.statusLine())
                    : Evidence.known(answer.status() == OK);
        } catch (IOException e) {
            return Evidence.unknown("listing Secrets: " + e);
        }
    }

    /** The head of an answer, whose body nobody reads. */
    private HttpConnection.Answer ask(String path) throws IOException {
        long begun = System.nanoTime();
        try (HttpConnection connection = HttpConnection.open(context, address, limit.now())) {
            Map<String, String> headers = new LinkedHashMap<>();
            token.ifPresent(value -> headers.put("Authorization", "Bearer " + value));
            headers.put("Connection", "close");
            HttpConnection.Answer answer =
                    connection.exchange(new HttpConnection.Request("GET", path, "kubernetes", headers, ""));
            limit.took(Duration.ofNanos(System.nanoTime() - begun));
            limit.heard();
            return answer;
        } catch (SocketTimeoutException e) {
            limit.gaveUp();
            throw e;
        }
    }

    /** Whether the server that answers shows a certificate of the cluster's CA; no request is sent. */
    boolean hasCertificateOfCluster() {
        try (HttpConnection _ = HttpConnection.open(context, address, TIMEOUT)) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether anybody listens at an address, for servers whose health is not asked for. */
    static Health probeListening(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, (int) TIMEOUT.toMillis());
            return new Health.NotReady("listens");
        } catch (ConnectException e) {
            return new Health.NotListening();
        } catch (IOException e) {
            return new Health.NotReady(e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }
}
