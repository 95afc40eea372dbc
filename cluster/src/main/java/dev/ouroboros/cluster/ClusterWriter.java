package dev.ouroboros.cluster;

import dev.ouroboros.api.Api.Grace;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.model.json.Json;

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
        /** @param object as it is now; absent when it was deleted */
        record Written(Json object) implements Outcome {}

        /** It was changed, or created, by somebody else. */
        record Conflict() implements Outcome {}

        record Gone() implements Outcome {}
    }

    /** Replaces an object; without a difference the server writes only what it would store in another way. */
    public Outcome replace(String path, Json object) {
        return outcome(path, () -> client.api().update(managed(path), object));
    }

    /** What an object would be after {@link #replace}, with the server's defaults; nothing is written. */
    public Outcome preview(String path, Json object) {
        return outcome(path, () -> client.api().update(managed(path).with("dryRun", "All"), object));
    }

    /**
     * Creates an object.
     *
     * @param collection its path without the name
     */
    public Outcome create(String collection, Json object) {
        return outcome(collection, () -> client.api().create(managed(collection), object));
    }

    /** Deletes the object of this uid. */
    public Outcome delete(String path, String uid) {
        return outcome(path, () -> {
            client.api().delete(new ApiPath(path), uid, Grace.ITS_OWN);
            return Json.absent();
        });
    }

    private static ApiPath managed(String path) {
        return new ApiPath(path).with("fieldManager", FIELD_MANAGER);
    }

    private static Outcome outcome(String path, ClusterClient.Request<Json> request) {
        try {
            return new Outcome.Written(request.send());
        } catch (ApiException e) {
            return switch (e.kind()) {
                case CONFLICT -> new Outcome.Conflict();
                case NOT_FOUND -> new Outcome.Gone();
                default -> throw ClusterReader.unanswered(path, e);
            };
        }
    }
}
