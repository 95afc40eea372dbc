package dev.ouroboros.upgrade.merge;

import dev.ouroboros.model.json.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Flags whose value is a list of independent parts (https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/
 * and those of the other components).
 */
enum FlagParts {
    /** {@code A=true,B=false}. */
    MAP,
    /** {@code A,B}, in any order. */
    GROUP;

    private static final Map<String, FlagParts> BY_FLAG = Map.of(
            "--feature-gates", MAP,
            "--runtime-config", MAP,
            "--enable-admission-plugins", GROUP,
            "--disable-admission-plugins", GROUP,
            "--controllers", GROUP,
            "--tls-cipher-suites", GROUP,
            "--api-audiences", GROUP);

    static Optional<FlagParts> of(String flag) {
        return Optional.ofNullable(BY_FLAG.get(flag));
    }

    static List<String> list(String value) {
        return Stream.of(value.split(",", -1))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .toList();
    }

    static Json map(String value) {
        Map<String, Json> parts = new LinkedHashMap<>();
        for (String part : list(value)) {
            int equals = part.indexOf('=');
            parts.put(
                    equals < 0 ? part : part.substring(0, equals),
                    Json.text(equals < 0 ? "true" : part.substring(equals + 1)));
        }
        return new Json.Fields(parts);
    }

    static String text(Json map) {
        return map.fields().entrySet().stream()
                .map(part -> part.getKey() + "=" + part.getValue().text().orElse(""))
                .collect(Collectors.joining(","));
    }
}
