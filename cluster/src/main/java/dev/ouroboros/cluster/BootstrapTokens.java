package dev.ouroboros.cluster;

import dev.ouroboros.api.Api.Grace;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The tokens with which kubelets join, as Secrets (kubernetes.io/docs, bootstrap tokens: token format). */
public final class BootstrapTokens {
    private static final ApiPath SECRETS = ApiPath.core("kube-system", "secrets");
    private static final String TYPE = "bootstrap.kubernetes.io/token";
    private static final String NAME_PREFIX = "bootstrap-token-";

    private final ClusterClient client;

    /**
     * A token without its secret.
     *
     * @param expires when it becomes invalid; empty for a token that never does, or whose expiration cannot be read
     * @param description for people; may be empty
     * @param isForNodes whether a kubelet can join with it: tokens have other uses, too
     */
    public record Token(String id, Optional<Instant> expires, String description, boolean isForNodes) {}

    public BootstrapTokens(ClusterClient client) {
        this.client = client;
    }

    /**
     * Makes a token for machines that join.
     *
     * @param id its first part, six characters
     * @param secret its second part, sixteen
     * @param end from when on the controller manager's token cleaner removes it
     * @param description for people
     * @throws ProblemException API_UNAVAILABLE when asking again may help, API_REFUSED when not
     */
    public void create(String id, String secret, Instant end, String description) {
        Json.Fields token = Json.object()
                .with("apiVersion", Json.text("v1"))
                .with("kind", Json.text("Secret"))
                .with(
                        "metadata",
                        Json.object()
                                .with("name", Json.text(NAME_PREFIX + id))
                                .with("namespace", Json.text("kube-system")))
                .with("type", Json.text(TYPE))
                .with(
                        "stringData",
                        Json.object()
                                .with("description", Json.text(description))
                                .with("token-id", Json.text(id))
                                .with("token-secret", Json.text(secret))
                                .with("usage-bootstrap-authentication", Json.text("true"))
                                .with(
                                        "expiration",
                                        Json.text(end.truncatedTo(ChronoUnit.SECONDS)
                                                .toString())));
        client.changing("a token to join with", () -> client.api().create(SECRETS, token));
    }

    /**
     * All tokens, by their ids.
     *
     * @throws ProblemException API_UNAVAILABLE when asking again may help, API_REFUSED when not
     */
    public List<Token> list() {
        List<Token> tokens = new ArrayList<>();
        for (Json secret : client.asking(
                        "tokens to join with", () -> client.api().get(SECRETS.with("fieldSelector", "type=" + TYPE)))
                .at("items")
                .items()) {
            tokens.add(new Token(
                    field(secret, "token-id")
                            .orElseGet(() -> Metadata.name(secret).replace(NAME_PREFIX, "")),
                    field(secret, "expiration").flatMap(BootstrapTokens::instant),
                    field(secret, "description").orElse(""),
                    field(secret, "usage-bootstrap-authentication")
                            .filter("true"::equals)
                            .isPresent()));
        }
        tokens.sort(Comparator.comparing(Token::id));
        return tokens;
    }

    /**
     * Deletes a token. Nodes that joined with it stay.
     *
     * @return whether it was there
     * @throws ProblemException API_UNAVAILABLE when asking again may help, API_REFUSED when not
     */
    public boolean delete(String id) {
        ApiPath path = SECRETS.named(NAME_PREFIX + id);
        return client.asking("token " + id, () -> {
            Optional<String> uid = client.api().find(path).map(Metadata::uid);
            return uid.isPresent() && client.deleteIfThere(path, uid.get(), Grace.ITS_OWN);
        });
    }

    private static Optional<String> field(Json secret, String name) {
        return secret.at("data", name)
                .text()
                .map(text -> new String(Base64.getMimeDecoder().decode(text), StandardCharsets.UTF_8));
    }

    private static Optional<Instant> instant(String text) {
        try {
            return Optional.of(OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
