package dev.ouroboros.cluster;

import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.json.JsonText;
import dev.ouroboros.core.json.JsonText.MalformedJson;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/**
 * Changes single objects that were read before, under their resource version: what somebody else changed meanwhile is a conflict,
 * never overwritten.
 */
public final class ClusterWriter {
    /**
     * Another field manager than the one of {@code start}: what is changed here is somebody else's to a {@code start} on the living
     * cluster, which leaves it as it is.
     */
    private static final String FIELD_MANAGER = "ouroboros-change";

    private final ClusterClient client;

    public ClusterWriter(ClusterClient client) {
        this.client = client;
    }

    /** What came of a write that was not refused. */
    public sealed interface Outcome {
        /** @param object as it is now */
        record Written(Json object) implements Outcome {}

        /** It was changed, or created, by somebody else. */
        record Conflict() implements Outcome {}

        record Gone() implements Outcome {}
    }

    /** Replaces an object; without a difference the server writes only what it would store in another way. */
    public Outcome replace(String path, Json object) {
        return send("PUT", path, object);
    }

    /** What an object would be after {@link #replace}, with the server's defaults; nothing is written. */
    public Outcome preview(String path, Json object) {
        return request("PUT", path, path + "?dryRun=All&fieldManager=" + FIELD_MANAGER, object);
    }

    /**
     * Creates an object.
     *
     * @param collection its path without the name
     */
    public Outcome create(String collection, Json object) {
        return send("POST", collection, object);
    }

    /** Deletes the object of this uid. */
    public Outcome delete(String path, String uid) {
        Json options = Json.object()
                .with("apiVersion", Json.text("v1"))
                .with("kind", Json.text("DeleteOptions"))
                .with("preconditions", Json.object().with("uid", Json.text(uid)));
        return request("DELETE", path, path, options);
    }

    private Outcome send(String method, String path, Json object) {
        return request(method, path, path + "?fieldManager=" + FIELD_MANAGER, object);
    }

    private Outcome request(String method, String about, String path, Json body) {
        String text = new String(JsonText.write(body), StandardCharsets.UTF_8);
        return client.asking(about, answered(about, () -> client.api().raw(path, method, text)));
    }

    private static Supplier<Outcome> answered(String about, Supplier<String> request) {
        return () -> {
            try {
                return new Outcome.Written(JsonText.read(request.get()));
            } catch (KubernetesClientException e) {
                return switch (e.getCode()) {
                    case HttpURLConnection.HTTP_CONFLICT -> new Outcome.Conflict();
                    case HttpURLConnection.HTTP_NOT_FOUND -> new Outcome.Gone();
                    default -> throw e;
                };
            } catch (MalformedJson e) {
                throw ProblemException.of(
                        ErrorCode.API_UNAVAILABLE,
                        about,
                        "the answer is not JSON: " + e.getMessage(),
                        "",
                        ClusterReader.NO_API_SERVER);
            }
        };
    }
}
