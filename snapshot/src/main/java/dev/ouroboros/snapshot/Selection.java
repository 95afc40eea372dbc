package dev.ouroboros.snapshot;

import dev.ouroboros.core.json.Json;
import dev.ouroboros.snapshot.kubernetes.StoredKey;
import dev.ouroboros.snapshot.kubernetes.TypeOfValue;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which objects are wanted; what is empty does not limit.
 *
 * @param resources as kubectl takes them: plural, with or without group, or kind
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
        resources =
                resources.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet());
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

    /** @param type empty when it cannot be known */
    boolean matches(StoredKey key, Optional<TypeOfValue> type) {
        return resources.isEmpty()
                || resources.contains(key.resource())
                || resources.contains(key.resourceWithGroup())
                || type.filter(known -> resources.contains(known.kind().toLowerCase(Locale.ROOT))
                                || resources.contains(key.resource() + "." + known.group()))
                        .isPresent();
    }

    boolean matches(Json object) {
        return labels.stream()
                .allMatch(label -> label.matches(
                        object.at("metadata", "labels", label.key()).text()));
    }
}
