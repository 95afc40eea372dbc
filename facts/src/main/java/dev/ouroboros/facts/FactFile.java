package dev.ouroboros.facts;

import dev.ouroboros.model.version.KubernetesVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Reads the version data that is part of this jar. A defect in it is a defect of ours, found by a test. */
final class FactFile {
    private FactFile() {}

    /** Sections by name, each a list of facts in the order of the file. */
    static Map<String, List<Fact>> load(String resource) {
        try (InputStream stream = FactFile.class.getResourceAsStream(resource)) {
            if (stream == null) {
                throw new IllegalStateException("missing resource " + resource);
            }
            Object root = new Load(LoadSettings.builder().setLabel(resource).build()).loadFromInputStream(stream);
            Map<String, List<Fact>> sections = new LinkedHashMap<>();
            map(root).forEach((name, entries) -> sections.put(name, facts(entries)));
            return Map.copyOf(sections);
        } catch (IOException e) {
            throw new UncheckedIOException(resource, e);
        }
    }

    private static List<Fact> facts(Object section) {
        List<Fact> facts = new ArrayList<>();
        for (Object entry : section instanceof List<?> list ? list : List.of(section)) {
            facts.add(fact(map(entry)));
        }
        return List.copyOf(facts);
    }

    private static Fact fact(Map<String, Object> entry) {
        Map<String, String> attributes = new LinkedHashMap<>();
        entry.forEach((name, value) -> attributes.put(name, value.toString()));
        VersionRange range = new VersionRange(bound(attributes, "since"), bound(attributes, "until"));
        String source = attributes.remove("source");
        return new Fact(range, attributes, source == null ? "" : source);
    }

    private static Optional<KubernetesVersion> bound(Map<String, String> attributes, String name) {
        String text = attributes.remove(name);
        return text == null
                ? Optional.empty()
                : Optional.of(KubernetesVersion.parse(text)
                        .orElseThrow(() -> new IllegalArgumentException(name + ": not a version: " + text)));
    }

    private static Map<String, Object> map(Object node) {
        if (!(node instanceof Map<?, ?> entries)) {
            throw new IllegalArgumentException("expected a mapping, found " + node);
        }
        Map<String, Object> copy = new LinkedHashMap<>();
        entries.forEach((key, value) -> copy.put(String.valueOf(key), value));
        return copy;
    }
}
