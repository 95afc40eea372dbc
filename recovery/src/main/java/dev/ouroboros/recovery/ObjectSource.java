package dev.ouroboros.recovery;

import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.Problem;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** What is left of a cluster: where its objects can still be read. */
public interface ObjectSource {
    /** What it is, for people. */
    String origin();

    /** Objects of these resources, of all namespaces, that pass the test; each with its kind and version. */
    List<Json.Fields> list(Set<Resource> resources, Predicate<Json> wanted);

    /** As {@link #list}, of objects that were deleted: how they were last, as far as the source remembers. */
    List<Json.Fields> listDeleted(Set<Resource> resources, Predicate<Json> wanted);

    /** Those of the objects that are there. */
    Map<ApiObject, Json.Fields> read(Set<ApiObject> objects);

    /** Those of the objects that were deleted, and that the source remembers. */
    Map<ApiObject, Json.Fields> readDeleted(Set<ApiObject> objects);

    /** Objects that were asked for, are there, and cannot be read. */
    List<Problem> problems();

    /** What else is wrong with the source, and may have cost objects. */
    List<Problem> damage();
}
