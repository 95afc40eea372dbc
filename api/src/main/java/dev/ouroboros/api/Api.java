package dev.ouroboros.api;

import dev.ouroboros.model.json.Json;
import java.time.Duration;
import java.util.Optional;

/**
 * The few calls of the Kubernetes API that a keeper needs. Each ends within its deadline, with a value or an
 * {@link ApiException}. Whether the answer comes from our cluster is {@link ClusterGuard}'s business.
 */
public interface Api {
    /** What a PATCH means. */
    enum PatchType {
        MERGE("application/merge-patch+json"),
        /** As a merge, but the lists of a pod's spec are merged by the name of their items, and the directives of a strategic merge are followed. */
        STRATEGIC("application/strategic-merge-patch+json"),
        APPLY("application/apply-patch+yaml");

        private final String mediaType;

        PatchType(String mediaType) {
            this.mediaType = mediaType;
        }

        String mediaType() {
            return mediaType;
        }
    }

    Json get(ApiPath path) throws ApiException;

    /** As {@link #get}; empty when there is nothing of that path. */
    default Optional<Json> find(ApiPath path) throws ApiException {
        try {
            return Optional.of(get(path));
        } catch (ApiException e) {
            if (e.kind() == ApiException.Kind.NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    Json update(ApiPath object, Json content) throws ApiException;

    Json create(ApiPath collection, Json object) throws ApiException;

    Json patch(ApiPath object, PatchType type, Json patch) throws ApiException;

    /** How much time an object has to end. */
    enum Grace {
        /** Its own grace period; an object that is being deleted already keeps the one that it was given. */
        ITS_OWN,
        /** None: the kubelet that should end it will not, and it is removed now. */
        NONE
    }

    /** Deletes the object that has this uid; {@link ApiException.Kind#CONFLICT} when another one has its name now. */
    void delete(ApiPath object, String uid, Grace grace) throws ApiException;

    /** Opens a watch; returns when the server has accepted it. */
    Watch watch(ApiPath collection, String version, Duration lifetime, Duration silence) throws ApiException;

    /** Cuts every connection, also of watches: to be called when the address leads to another server now. */
    void reconnect();
}
