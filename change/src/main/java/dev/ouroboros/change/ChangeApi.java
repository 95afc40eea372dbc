package dev.ouroboros.change;

import dev.ouroboros.cluster.ClusterWriter;
import dev.ouroboros.model.json.Json;
import java.util.List;

/** What changes need of an API server. Every method may throw API_UNAVAILABLE, after which the same is asked again. */
interface ChangeApi {
    /** The object or list at a path. */
    Json read(String path);

    /** All objects of a collection. */
    List<Json> list(String collection, String query);

    ClusterWriter.Outcome create(String collection, Json object);

    ClusterWriter.Outcome replace(String path, Json object);

    ClusterWriter.Outcome delete(String path, String uid);
}
