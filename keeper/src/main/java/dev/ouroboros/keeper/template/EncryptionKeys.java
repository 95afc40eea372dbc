package dev.ouroboros.keeper.template;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.PlainYaml;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * With which keys a server reads and writes each resource, from its EncryptionConfiguration: it writes with the first key of the first
 * provider and reads with all (kubernetes.io/docs/tasks/administer-cluster/encrypt-data). A key has a name and a secret, and both have to
 * agree: the name stands before each value in etcd.
 *
 * @param readers for each resource, the writer first; what is not named is not encrypted
 */
public record EncryptionKeys(Map<String, List<String>> readers) {
    static final EncryptionKeys NONE = new EncryptionKeys(Map.of());

    private static final String IDENTITY = "identity";

    public EncryptionKeys {
        readers = Map.copyOf(readers);
    }

    /** Empty when the file cannot be understood. */
    public static Optional<EncryptionKeys> parse(String text) {
        Optional<Json> configuration = PlainYaml.read(text);
        if (configuration.isEmpty()
                || configuration.get().at("resources").items().isEmpty()) {
            return Optional.empty();
        }
        Map<String, List<String>> readers = new LinkedHashMap<>();
        for (Json group : configuration.get().at("resources").items()) {
            List<String> keys = new ArrayList<>();
            for (Json provider : group.at("providers").items()) {
                if (provider.fields().size() != 1) {
                    return Optional.empty();
                }
                provider.fields().forEach((kind, content) -> keys.addAll(keysOf(kind, content)));
            }
            if (keys.isEmpty()) {
                return Optional.empty();
            }
            // Of two groups that name a resource the first one counts.
            group.at("resources")
                    .items()
                    .forEach(item -> readers.putIfAbsent(item.text().orElse(""), keys));
        }
        return Optional.of(new EncryptionKeys(readers));
    }

    private static List<String> keysOf(String kind, Json content) {
        List<Json> keys = content.at("keys").items();
        if (keys.isEmpty()) {
            // identity has no keys, and a KMS keeps its own: the provider's name and version identify it.
            return List.of(
                    kind.equals(IDENTITY)
                            ? IDENTITY
                            : kind + ":" + text(content, "apiVersion") + ":" + text(content, "name"));
        }
        return keys.stream()
                .map(key -> kind + ":" + text(key, "name") + ":" + text(key, "secret"))
                .toList();
    }

    private static String text(Json value, String field) {
        return value.at(field).text().orElse("");
    }

    private List<String> of(String resource) {
        return readers.getOrDefault(resource, List.of(IDENTITY));
    }

    /** Resources that a server with these keys writes so that one with the others cannot read them. */
    Set<String> unreadableBy(EncryptionKeys others) {
        Set<String> resources = new TreeSet<>(readers.keySet());
        resources.addAll(others.readers.keySet());
        resources.removeIf(resource -> others.of(resource).contains(of(resource).getFirst()));
        return resources;
    }
}
