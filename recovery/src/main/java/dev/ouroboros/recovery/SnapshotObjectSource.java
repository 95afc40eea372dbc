package dev.ouroboros.recovery;

import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.snapshot.Selection;
import dev.ouroboros.snapshot.Snapshot;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The objects in an etcd snapshot. It is read once for each question: what is kept in memory is what was asked for, however large
 * the file.
 */
public final class SnapshotObjectSource implements ObjectSource {
    private final Snapshot snapshot;
    private final String origin;
    private final Set<Problem> problems = new LinkedHashSet<>();
    private final Set<Problem> damage = new LinkedHashSet<>();

    /** @param origin what it is, for people; the caller closes the snapshot */
    public SnapshotObjectSource(Snapshot snapshot, String origin) {
        this.snapshot = snapshot;
        this.origin = origin;
    }

    /** The cluster in a file; {@code keys} are for what is encrypted in it. */
    public static ClusterObjects read(Path file, EncryptionConfiguration keys, String origin) {
        try (Snapshot snapshot = Snapshot.open(file, keys)) {
            return ClusterObjects.read(new SnapshotObjectSource(snapshot, origin));
        }
    }

    @Override
    public String origin() {
        return origin;
    }

    @Override
    public List<Json.Fields> list(Set<Resource> resources, Predicate<Json> wanted) {
        return find(resources, Set.of(), wanted, snapshot::extract);
    }

    @Override
    public List<Json.Fields> listDeleted(Set<Resource> resources, Predicate<Json> wanted) {
        return find(resources, Set.of(), wanted, snapshot::extractDeleted);
    }

    @Override
    public Map<ApiObject, Json.Fields> read(Set<ApiObject> objects) {
        return read(objects, snapshot::extract);
    }

    @Override
    public Map<ApiObject, Json.Fields> readDeleted(Set<ApiObject> objects) {
        return read(objects, snapshot::extractDeleted);
    }

    private interface Extraction {
        Snapshot.Extracted from(Selection selection, Snapshot.ObjectSink sink);
    }

    private Map<ApiObject, Json.Fields> read(Set<ApiObject> objects, Extraction extraction) {
        Map<ApiObject, Json.Fields> found = new LinkedHashMap<>();
        if (objects.isEmpty()) {
            return found;
        }
        Set<Resource> resources =
                objects.stream().map(object -> Resource.of(object.kind())).collect(Collectors.toSet());
        Set<String> names = objects.stream().map(ApiObject::name).collect(Collectors.toSet());
        for (Json.Fields object : find(resources, names, _ -> true, extraction)) {
            Resource.reference(object).filter(objects::contains).ifPresent(reference -> found.put(reference, object));
        }
        return found;
    }

    private List<Json.Fields> find(
            Set<Resource> resources, Set<String> names, Predicate<Json> wanted, Extraction extraction) {
        List<Json.Fields> found = new ArrayList<>();
        Selection selection =
                new Selection(Resource.plurals(resources), Optional.empty(), names, List.of(), OptionalLong.empty());
        Snapshot.Extracted extracted = extraction.from(selection, (_, object) -> {
            if (wanted.test(object)) {
                found.add(object);
            }
        });
        extracted.problems().forEach(problem -> (isDamage(problem) ? damage : problems).add(problem));
        return found;
    }

    private static boolean isDamage(Problem problem) {
        return problem.code() == ErrorCode.DAMAGED_FILE;
    }

    @Override
    public List<Problem> problems() {
        return List.copyOf(problems);
    }

    @Override
    public List<Problem> damage() {
        return List.copyOf(damage);
    }
}
