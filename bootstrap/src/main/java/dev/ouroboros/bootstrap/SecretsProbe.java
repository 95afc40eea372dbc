package dev.ouroboros.bootstrap;

import dev.ouroboros.api.AnswerLimit;
import dev.ouroboros.api.HttpConnection;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.evidence.Evidence;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLContext;

/**
 * Asks one API server of this node whether it reads Secrets, each time over a new connection. Without a resource version the list is read
 * from etcd, and each Secret decrypted: {@code /readyz} knows nothing of a wrong key. The certificate must come from the cluster's CA;
 * its names are not compared, as a loopback address need not be among them.
 */
final class SecretsProbe {
    private static final int OK = 200;
    private static final Set<Integer> TOO_BUSY = Set.of(429, 503, 504);
    private static final String SECRETS = "/api/v1/namespaces/kube-system/secrets?limit=500";

    /** One context for all probes: handshakes after the first are short, and the server still takes part in each of them. */
    private final SSLContext context;

    private final InetSocketAddress address;
    private final Optional<String> token;
    private final AnswerLimit limit;

    SecretsProbe(Endpoint endpoint, InetSocketAddress address, InstantSource clock) {
        this.context = endpoint.newSslContext();
        this.address = address;
        this.token = endpoint.token();
        this.limit = new AnswerLimit(clock);
    }

    /** Unknown when the server does not answer in time, or is too busy. */
    Evidence<Boolean> listsSecrets() {
        try {
            HttpConnection.Answer answer = ask();
            return TOO_BUSY.contains(answer.status())
                    ? Evidence.unknown("listing Secrets: " + answer.statusLine())
                    : Evidence.known(answer.status() == OK);
        } catch (IOException e) {
            return Evidence.unknown("listing Secrets: " + e);
        }
    }

    /** The head of an answer, whose body nobody reads. */
    private HttpConnection.Answer ask() throws IOException {
        long begun = System.nanoTime();
        try (HttpConnection connection = HttpConnection.open(context, address, limit.now())) {
            Map<String, String> headers = new LinkedHashMap<>();
            token.ifPresent(value -> headers.put("Authorization", "Bearer " + value));
            headers.put("Connection", "close");
            HttpConnection.Answer answer =
                    connection.exchange(new HttpConnection.Request("GET", SECRETS, "kubernetes", headers, ""));
            limit.took(Duration.ofNanos(System.nanoTime() - begun));
            limit.heard();
            return answer;
        } catch (SocketTimeoutException e) {
            limit.gaveUp();
            throw e;
        }
    }
}
