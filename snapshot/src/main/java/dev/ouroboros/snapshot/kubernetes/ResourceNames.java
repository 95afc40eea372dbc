package dev.ouroboros.snapshot.kubernetes;

import dev.ouroboros.model.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The names of one resource, as kubectl takes them.
 *
 * @param full plural, singular and kind, in lower case
 * @param shortNames in lower case
 * @param groups that serve it; the first API is the empty one
 * @param stored under which {@link StoredKey#resourceWithGroup} its objects are
 */
record ResourceNames(String plural, Set<String> full, Set<String> shortNames, List<String> groups, Set<String> stored) {
    private static final String BUILT_IN = "resources.txt";
    private static final String NONE = "-";
    private static final Pattern VERSION = Pattern.compile("^v\\d+(?:(?:alpha|beta)\\d+)?(?:\\.|$)");

    public ResourceNames {
        full = Set.copyOf(full);
        shortNames = Set.copyOf(shortNames);
        groups = List.copyOf(groups);
        stored = Set.copyOf(stored);
    }

    private static final class Loaded {
        private static final List<ResourceNames> BUILT_IN_NAMES = load();
    }

    /** Of the built-in resources of all versions. Read once; it does not change. */
    static List<ResourceNames> builtIn() {
        return Loaded.BUILT_IN_NAMES;
    }

    /** What is stored under a key, when nothing else is known of it than one object's type. */
    static ResourceNames seen(StoredKey key, Optional<TypeOfValue> type) {
        Set<String> groups = new TreeSet<>();
        groups.add(key.group());
        type.map(TypeOfValue::group).ifPresent(groups::add);
        return new ResourceNames(
                key.resource(),
                withSingular(key.resource(), "", type.map(TypeOfValue::kind).orElse("")),
                Set.of(),
                List.copyOf(groups),
                Set.of(key.resourceWithGroup()));
    }

    /** By what a CustomResourceDefinition says; empty of one that names nothing. */
    static Optional<ResourceNames> defined(Json definition) {
        Json names = definition.at("spec", "names");
        String group = definition.at("spec", "group").text().orElse("");
        return names.at("plural").text().map(plural -> {
            Set<String> shortNames = new HashSet<>();
            names.at("shortNames")
                    .items()
                    .forEach(name -> name.text().map(ResourceNames::lower).ifPresent(shortNames::add));
            return new ResourceNames(
                    plural,
                    withSingular(
                            plural,
                            names.at("singular").text().orElse(""),
                            names.at("kind").text().orElse("")),
                    shortNames,
                    List.of(group),
                    Set.of(plural + "." + group));
        });
    }

    private static Set<String> withSingular(String plural, String singular, String kind) {
        Set<String> full = new HashSet<>(List.of(lower(plural), lower(singular), lower(kind)));
        full.remove("");
        return full;
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    /** Whether people who name this group mean it: all of it, its beginning, or a version before it, as kubectl has it. */
    boolean isServedBy(String group) {
        String withoutVersion = VERSION.matcher(group).replaceFirst("");
        return groups.stream()
                .anyMatch(served -> withoutVersion.isEmpty() ? served.isEmpty() : served.startsWith(withoutVersion));
    }

    private static List<ResourceNames> load() {
        try (InputStream stream = ResourceNames.class.getResourceAsStream(BUILT_IN)) {
            if (stream == null) {
                throw new IllegalStateException(BUILT_IN + " is missing from the module");
            }
            return read(new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<ResourceNames> read(BufferedReader lines) throws IOException {
        List<ResourceNames> names = new ArrayList<>();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (!line.startsWith("#")) {
                names.add(builtIn(line.split(" ", -1)));
            }
        }
        return List.copyOf(names);
    }

    private static ResourceNames builtIn(String[] words) {
        List<String> groups = Stream.of(words[2].split(",", -1))
                .map(group -> group.equals(NONE) ? "" : group)
                .toList();
        // Their keys have no group, but for those of the API servers that the first one aggregates.
        Set<String> stored = new HashSet<>(Set.of(words[0]));
        groups.forEach(group -> stored.add(words[0] + "." + group));
        return new ResourceNames(
                words[0],
                withSingular(words[0], "", words[1]),
                words[3].equals(NONE) ? Set.of() : Set.of(words[3].split(",", -1)),
                groups,
                stored);
    }
}
