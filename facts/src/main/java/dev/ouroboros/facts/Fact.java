package dev.ouroboros.facts;

import java.util.Map;
import java.util.Optional;

/**
 * One entry of the version data: what holds in a range of versions, and who says so.
 *
 * @param range the versions it holds in
 * @param attributes its other fields by name, as written in the data
 * @param source where the fact comes from
 */
record Fact(VersionRange range, Map<String, String> attributes, String source) {
    Fact {
        attributes = Map.copyOf(attributes);
        if (source.isBlank()) {
            throw new IllegalArgumentException("a fact without a source: " + attributes);
        }
    }

    String get(String name) {
        return find(name).orElseThrow(() -> new IllegalArgumentException("no " + name + " in " + attributes));
    }

    Optional<String> find(String name) {
        return Optional.ofNullable(attributes.get(name));
    }

    boolean is(String name, String value) {
        return value.equals(attributes.get(name));
    }
}
