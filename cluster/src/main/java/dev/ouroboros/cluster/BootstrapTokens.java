package dev.ouroboros.cluster;

import dev.ouroboros.api.ApiPath;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The tokens with which kubelets join, as Secrets (kubernetes.io/docs, bootstrap tokens: token format). */
public final class BootstrapTokens {
    private static final ApiPath SECRETS = ApiPath.core("kube-system", "secrets");

    private final ClusterClient client;

    public BootstrapTokens(ClusterClient client) {
        this.client = client;
    }

    /**
     * Makes a token for machines that join.
     *
     * @param id its first part, six characters
     * @param secret its second part, sixteen
     * @param end from when on the controller manager's token cleaner removes it
     * @throws ProblemException API_UNAVAILABLE when asking again may help, API_REFUSED when not
     */
    public void create(String id, String secret, Instant end) {
        Json.Fields token = Json.object()
                .with("apiVersion", Json.text("v1"))
                .with("kind", Json.text("Secret"))
                .with(
                        "metadata",
                        Json.object()
                                .with("name", Json.text("bootstrap-token-" + id))
                                .with("namespace", Json.text("kube-system")))
                .with("type", Json.text("bootstrap.kubernetes.io/token"))
                .with(
                        "stringData",
                        Json.object()
                                .with("token-id", Json.text(id))
                                .with("token-secret", Json.text(secret))
                                .with("usage-bootstrap-authentication", Json.text("true"))
                                .with(
                                        "expiration",
                                        Json.text(end.truncatedTo(ChronoUnit.SECONDS)
                                                .toString())));
        client.changing("a token to join with", () -> client.api().create(SECRETS, token));
    }
}
