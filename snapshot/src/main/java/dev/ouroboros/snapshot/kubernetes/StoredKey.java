package dev.ouroboros.snapshot.kubernetes;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where an API server stores an object: {@code PREFIX/[GROUP/]RESOURCE/[NAMESPACE/]NAME}. Only resources of custom and aggregated
 * groups have their group in the key.
 *
 * @param group empty for built-in resources, whatever their group
 * @param resource plural, as in kubectl
 */
public record StoredKey(String group, String resource, Optional<String> namespace, String name) {
    /** What is stored under another name than it is served by. */
    private static final Map<String, String> SERVED_AS = Map.of(
            "minions", "nodes",
            "controllers", "replicationcontrollers",
            "ingress", "ingresses",
            "podsecuritypolicy", "podsecuritypolicies",
            "services/specs", "services",
            "services/endpoints", "endpoints");

    /** Without group: {@code pods}; with: {@code widgets.example.com}. */
    public String resourceWithGroup() {
        return group.isEmpty() ? resource : resource + "." + group;
    }

    /** How people name the object: {@code NAMESPACE/NAME}. */
    public String namespacedName() {
        return namespace.map(space -> space + "/" + name).orElse(name);
    }

    /** @return empty for a key that is not below the prefix, or has no name */
    public static Optional<StoredKey> parse(String key, String prefix) {
        if (!key.startsWith(prefix + "/")) {
            return Optional.empty();
        }
        List<String> parts = List.of(key.substring(prefix.length() + 1).split("/", -1));
        String group = "";
        if (parts.size() > 2 && parts.getFirst().contains(".")) {
            group = parts.getFirst();
            parts = parts.subList(1, parts.size());
        }
        int used = parts.size() > 2 && SERVED_AS.containsKey(parts.getFirst() + "/" + parts.get(1)) ? 2 : 1;
        if (parts.size() <= used || parts.stream().anyMatch(String::isEmpty)) {
            return Optional.empty();
        }
        String stored = String.join("/", parts.subList(0, used));
        List<String> rest = parts.subList(used, parts.size());
        return Optional.of(new StoredKey(
                group,
                group.isEmpty() ? SERVED_AS.getOrDefault(stored, stored) : stored,
                rest.size() > 1 ? Optional.of(rest.getFirst()) : Optional.empty(),
                String.join("/", rest.size() > 1 ? rest.subList(1, rest.size()) : rest)));
    }
}
