package dev.ouroboros.upgrade.merge;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the elements of a list are to each other. Keys are those that Kubernetes merges by (the {@code patchMergeKey} and
 * {@code listMapKey} tags of its types, https://github.com/kubernetes/api, core/v1/types.go). Kubernetes takes tolerations, RBAC rules,
 * subjects and the like as one value; each element of them stands for itself, so they are merged as sets here.
 */
sealed interface ListKind {
    /**
     * Elements are told apart by the values of these fields.
     *
     * @param fields their names
     * @param absent what an absent field means; one that is not named here is required
     */
    record Keyed(List<String> fields, Map<String, String> absent) implements ListKind {
        /** The key of an element; empty when it has none. */
        private Optional<String> keyOf(Json element) {
            if (fields.stream().anyMatch(field -> valueOf(element, field).isEmpty())) {
                return Optional.empty();
            }
            return Optional.of(fields.stream()
                    .map(field -> valueOf(element, field).orElseThrow())
                    .collect(Collectors.joining("/")));
        }

        private Optional<String> valueOf(Json element, String field) {
            return switch (element.at(field)) {
                case Json.Text(String text) -> Optional.of(text);
                case Json.Numeric(String literal) -> Optional.of(literal);
                default -> Optional.ofNullable(absent.get(field));
            };
        }

        /** The elements by key in their order; empty when two have the same key or one has none. */
        Optional<Map<String, Json>> byKey(Json list) {
            Map<String, Json> elements = new LinkedHashMap<>();
            for (Json element : list.items()) {
                Optional<String> key = keyOf(element);
                if (key.isEmpty() || elements.put(key.get(), element) != null) {
                    return Optional.empty();
                }
            }
            return Optional.of(elements);
        }
    }

    /** Every element stands for itself; their order means nothing. */
    record Group() implements ListKind {}

    /** A program's name and its flags. */
    record Command() implements ListKind {}

    /** One value. */
    record Atomic() implements ListKind {}

    Map<String, ListKind> BY_FIELD = Map.ofEntries(
            Map.entry("containers", keyed("name")),
            Map.entry("initContainers", keyed("name")),
            Map.entry("ephemeralContainers", keyed("name")),
            Map.entry("volumes", keyed("name")),
            Map.entry("env", keyed("name")),
            Map.entry("imagePullSecrets", keyed("name")),
            Map.entry("volumeMounts", keyed("mountPath")),
            Map.entry("volumeDevices", keyed("devicePath")),
            Map.entry("hostAliases", keyed("ip")),
            Map.entry("topologySpreadConstraints", keyed("topologyKey", "whenUnsatisfiable")),
            Map.entry("ownerReferences", keyed("uid")),
            Map.entry("tolerations", new Group()),
            Map.entry("finalizers", new Group()),
            Map.entry("rules", new Group()),
            Map.entry("subjects", new Group()),
            Map.entry("add", new Group()),
            Map.entry("drop", new Group()));

    Set<String> CONTAINERS = Set.of("containers", "initContainers", "ephemeralContainers");
    Set<String> KEYS_TO_PATHS = Set.of("secret", "configMap");

    static ListKind of(Place place) {
        return switch (place.field()) {
            case "ports" ->
                CONTAINERS.contains(place.parent())
                        ? new Keyed(List.of("containerPort", "protocol"), Map.of("protocol", "TCP"))
                        : new Keyed(List.of("port", "protocol"), Map.of("protocol", "TCP"));
            case "command", "args" -> CONTAINERS.contains(place.parent()) ? new Command() : new Atomic();
            case "items" -> KEYS_TO_PATHS.contains(place.parent()) ? keyed("key") : new Atomic();
            default -> BY_FIELD.getOrDefault(place.field(), new Atomic());
        };
    }

    private static ListKind keyed(String... fields) {
        return new Keyed(List.of(fields), Map.of());
    }

    /** An element of a group, as text. */
    static String textOf(Json element) {
        return element.text().orElseGet(() -> new String(JsonText.write(element), StandardCharsets.UTF_8));
    }
}
