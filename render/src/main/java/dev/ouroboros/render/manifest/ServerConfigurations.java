package dev.ouroboros.render.manifest;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.render.cluster.ClusterSpec.EncryptionProvider;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Configuration files of the API server. */
public final class ServerConfigurations {
    private static final List<String> HEALTH_PATHS = List.of("/healthz", "/livez", "/readyz");

    private ServerConfigurations() {}

    /**
     * Encrypts Secrets with one key. What was written before encryption stays readable ({@code identity}).
     *
     * @param key 32 random bytes in base64
     */
    public static Map<String, Object> encryption(VersionFacts facts, EncryptionProvider provider, String key) {
        Map<String, Object> keys = Map.of("keys", List.of(ordered("name", "key1", "secret", key)));
        Map<String, Object> resources = ordered(
                "resources",
                List.of("secrets"),
                "providers",
                List.of(Map.of(provider.field(), keys), Map.of("identity", Map.of())));
        return ordered(
                "apiVersion", facts.requiredApiVersion("EncryptionConfiguration"),
                "kind", "EncryptionConfiguration",
                "resources", List.of(resources));
    }

    /** Lets nobody ask without credentials but for health; empty for versions that cannot say so. */
    public static Optional<Map<String, Object>> authentication(VersionFacts facts) {
        return facts.apiVersion("AuthenticationConfiguration")
                .map(apiVersion -> ordered(
                        "apiVersion",
                        apiVersion,
                        "kind",
                        "AuthenticationConfiguration",
                        "anonymous",
                        ordered(
                                "enabled",
                                true,
                                "conditions",
                                HEALTH_PATHS.stream()
                                        .map(path -> Map.of("path", path))
                                        .toList())));
    }

    private static Map<String, Object> ordered(Object... namesAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int index = 0; index < namesAndValues.length; index += 2) {
            map.put((String) namesAndValues[index], namesAndValues[index + 1]);
        }
        return map;
    }
}
