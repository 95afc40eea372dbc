package dev.ouroboros.cluster;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.endpoint.Endpoint;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A connection to one API server as one user; the parts of this module share it.
 *
 * <p>Closing it ends its watches and threads.
 */
public final class ClusterClient implements AutoCloseable {
    /** Field manager of everything Ouroboros applies. */
    public static final String FIELD_MANAGER = "ouroboros";

    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);

    private static final Set<Integer> PASSING = Set.of(401, 404, 408, 409, 429);

    private final KubernetesClient client;
    private final String server;

    private ClusterClient(KubernetesClient client, String server) {
        this.client = client;
        this.server = server;
    }

    /** Connects; nothing is sent yet. */
    public static ClusterClient connect(Endpoint endpoint) {
        return connect(endpoint, REQUEST_TIMEOUT);
    }

    /**
     * Connects; nothing is sent yet.
     *
     * @param timeout of each request
     */
    public static ClusterClient connect(Endpoint endpoint, Duration timeout) {
        Config config = Config.empty();
        config.setMasterUrl(endpoint.server().toString());
        config.setOauthToken(endpoint.token().orElse(null));
        config.setRequestTimeout((int) timeout.toMillis());
        config.setConnectionTimeout((int) timeout.toMillis());
        // Callers decide what to do about a failure: they see it at once.
        config.setRequestRetryBackoffLimit(0);
        KubernetesClient client = new KubernetesClientBuilder()
                .withConfig(config)
                .withHttpClientFactory(new JdkHttpClientFactory())
                // fabric8's own reading of keys knows no PKCS #8 key on an elliptic curve.
                .withHttpClientBuilderConsumer(
                        http -> http.sslContext(endpoint.keyManagers(), endpoint.trustManagers()))
                .build();
        return new ClusterClient(client, endpoint.server().toString());
    }

    KubernetesClient api() {
        return client;
    }

    /** The server's URL, for messages. */
    public String server() {
        return server;
    }

    /** The server's version as it says it, for example {@code v1.20.2}. */
    public String serverVersion() {
        return asking("its version", () -> client.getKubernetesVersion().getGitVersion());
    }

    /**
     * Runs a request and turns its failure into a problem.
     *
     * @param about what is asked for, for the message
     */
    <T> T asking(String about, Supplier<T> request) {
        try {
            return request.get();
        } catch (KubernetesClientException e) {
            throw new ProblemException(problem(about, e), e);
        }
    }

    Problem problem(String about, KubernetesClientException e) {
        // 401 and 404 pass: a server that has just started may not know its users and kinds yet.
        boolean refused = e.getCode() >= 400 && e.getCode() < 500 && !PASSING.contains(e.getCode());
        String said = e.getStatus() != null && e.getStatus().getMessage() != null
                ? e.getStatus().getMessage()
                : rootMessage(e);
        return new Problem(
                refused ? ErrorCode.API_REFUSED : ErrorCode.API_UNAVAILABLE,
                about,
                said,
                "",
                remedy(e.getCode(), refused));
    }

    private static String remedy(int status, boolean refused) {
        return switch (status) {
            case HttpURLConnection.HTTP_UNAUTHORIZED ->
                "use a kubeconfig of this cluster; auth/kubeconfig of its asset directory is one";
            case HttpURLConnection.HTTP_FORBIDDEN ->
                "use a kubeconfig whose user may do this (kubectl auth can-i --list); auth/kubeconfig of the asset"
                        + " directory is one";
            default ->
                refused
                        ? "mend what the server names, and run the same command again"
                        : "see what runs: ouro status works without an API server; then run the same command again";
        };
    }

    private static String rootMessage(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
            // The JDK's client gives a refused connection neither a message nor a cause that says so.
            if (cause instanceof ConnectException && cause.getMessage() == null) {
                return "connection refused";
            }
        }
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }

    @Override
    public void close() {
        client.close();
    }
}
