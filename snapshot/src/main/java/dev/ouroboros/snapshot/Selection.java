package dev.ouroboros.snapshot;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.snapshot.kubernetes.StoredKey;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Which objects are wanted; what is empty does not limit.
 *
 * @param resources as kubectl takes them ({@link dev.ouroboros.snapshot.kubernetes.ResourceCatalogue})
 * @param labels all must hold
 * @param revision at which; the newest when empty
 */
public record Selection(
        Set<String> resources,
        Optional<String> namespace,
        Set<String> names,
        List<LabelRequirement> labels,
        OptionalLong revision) {
    public Selection {
        resources = Set.copyOf(resources);
        names = Set.copyOf(names);
        labels = List.copyOf(labels);
    }

    public static Selection everything() {
        return new Selection(Set.of(), Optional.empty(), Set.of(), List.of(), OptionalLong.empty());
    }

    /** What the key alone says. */
    boolean mayMatch(StoredKey key) {
        return (namespace.isEmpty() || namespace.equals(key.namespace()))
                && (names.isEmpty() || names.contains(key.name()));
    }

    boolean matches(Json object) {
        return labels.stream()
                .allMatch(label -> label.matches(
                        object.at("metadata", "labels", label.key()).text()));
    }
}
