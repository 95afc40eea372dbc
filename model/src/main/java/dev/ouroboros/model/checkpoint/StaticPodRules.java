package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.checkpoint.PodFields.Part;
import dev.ouroboros.model.checkpoint.StaticPodRule.Level;
import dev.ouroboros.model.checkpoint.StaticPodRule.Subject;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.version.KubernetesVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the kubelet of a given version refuses or cannot run as a static pod, and which fields keep a pod from becoming one. The rules
 * are data with their sources: {@code static-pods.json} beside this class.
 */
public final class StaticPodRules {
    private static final String RESOURCE = "static-pods.json";

    private final List<StaticPodRule> rules;
    private final Map<Part, PodFields> fields;

    private StaticPodRules(List<StaticPodRule> rules, Map<Part, PodFields> fields) {
        this.rules = rules;
        this.fields = fields;
    }

    /** The rules of this program; read once. */
    public static StaticPodRules load() {
        return Loaded.RULES;
    }

    private static final class Loaded {
        private static final StaticPodRules RULES = read();
    }

    private static StaticPodRules read() {
        try (InputStream stream = StaticPodRules.class.getResourceAsStream(RESOURCE)) {
            if (stream == null) {
                throw new IllegalStateException("missing resource " + RESOURCE);
            }
            Json data = JsonText.read(stream);
            Map<Part, PodFields> fields = new EnumMap<>(Part.class);
            for (Part part : Part.values()) {
                Json lists = data.at("fields", part.key());
                fields.put(part, new PodFields(texts(lists.at("kept")), texts(lists.at("dropped"))));
            }
            return new StaticPodRules(
                    data.at("rules").items().stream().map(StaticPodRules::rule).toList(), fields);
        } catch (IOException e) {
            throw new UncheckedIOException(RESOURCE, e);
        }
    }

    public List<StaticPodRule> all() {
        return rules;
    }

    /**
     * Every rule that a pod breaks, in the order of the rules.
     *
     * @param pod a Pod; a template with its metadata and spec will do
     */
    public List<StaticPodFinding> judge(Json pod, Subject subject, KubernetesVersion kubelet) {
        return rules.stream()
                .filter(rule -> rule.isAbout(subject, kubelet))
                .flatMap(rule -> broken(rule, pod).map(field -> new StaticPodFinding(rule, field)))
                .toList();
    }

    PodFields fieldsOf(Part part) {
        PodFields known = fields.get(part);
        if (known == null) {
            throw new IllegalStateException(RESOURCE + " has no fields of " + part.key());
        }
        return known;
    }

    private Stream<String> broken(StaticPodRule rule, Json pod) {
        return Stream.concat(
                rule.check().stream().flatMap(check -> check.findIn(pod, this)),
                rule.fields().stream()
                        .map(StaticPodRules::names)
                        // A path is built only where the field can be a finding.
                        .filter(pattern -> rule.unless().isPresent() || isThere(pod, pattern))
                        .flatMap(pattern -> below(LocatedJson.root(pod), pattern))
                        .filter(place -> isBroken(rule, place))
                        .map(LocatedJson::path));
    }

    private static List<String> names(String pattern) {
        return List.of(pattern.split("\\."));
    }

    private static boolean isThere(Json value, List<String> pattern) {
        if (pattern.isEmpty() || value.isNull()) {
            return !value.isNull();
        }
        String name = pattern.getFirst();
        List<String> rest = pattern.subList(1, pattern.size());
        return name.endsWith("[]")
                ? value.at(name.substring(0, name.length() - 2)).items().stream()
                        .anyMatch(element -> isThere(element, rest))
                : isThere(value.at(name), rest);
    }

    private static boolean isBroken(StaticPodRule rule, LocatedJson place) {
        String text = scalar(place.value());
        return rule.unless()
                .map(unless -> !unless.matcher(text).matches())
                .orElseGet(() -> place.isPresent()
                        && rule.value()
                                .map(value -> value.matcher(text).matches())
                                .orElse(true));
    }

    /** The API server treats an empty string as a field that is not set. */
    private static String scalar(Json value) {
        return switch (value) {
            case Json.Text(String text) -> text;
            case Json.Bool(boolean bool) -> Boolean.toString(bool);
            case Json.Numeric(String literal) -> literal;
            case Json.Fields _, Json.Items _, Json.Null _ -> "";
        };
    }

    private static Stream<LocatedJson> below(LocatedJson place, List<String> pattern) {
        if (pattern.isEmpty()) {
            boolean isEmptyText = place.value().text().filter(String::isEmpty).isPresent();
            return isEmptyText ? Stream.of() : Stream.of(place);
        }
        String name = pattern.getFirst();
        List<String> rest = pattern.subList(1, pattern.size());
        return name.endsWith("[]")
                ? place.each(name.substring(0, name.length() - 2)).flatMap(element -> below(element, rest))
                : below(place.at(name), rest);
    }

    private static StaticPodRule rule(Json data) {
        return new StaticPodRule(
                required(data, "id"),
                data.at("of").items().stream()
                        .flatMap(word -> word.text().stream())
                        .map(word -> Subject.valueOf(word.toUpperCase(Locale.ROOT)))
                        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Subject.class))),
                new ArrayList<>(list(data.at("fields"))),
                data.at("value").text().map(Pattern::compile),
                data.at("unless").text().map(Pattern::compile),
                data.at("check").text().map(PodCheck::valueOf),
                version(data, "since"),
                version(data, "rejectedSince"),
                data.at("level")
                        .text()
                        .map(word -> Level.valueOf(word.toUpperCase(Locale.ROOT)))
                        .orElse(Level.REFUSED),
                required(data, "what"),
                required(data, "next"),
                required(data, "source"));
    }

    private static Optional<KubernetesVersion> version(Json data, String field) {
        return data.at(field)
                .text()
                .map(text -> KubernetesVersion.parse(text)
                        .orElseThrow(() -> new IllegalStateException(RESOURCE + ": no version: " + text)));
    }

    private static String required(Json data, String field) {
        return data.at(field)
                .text()
                .orElseThrow(() -> new IllegalStateException(RESOURCE + ": a rule has no " + field));
    }

    private static Set<String> texts(Json array) {
        return Set.copyOf(list(array));
    }

    private static List<String> list(Json array) {
        return array.items().stream().flatMap(item -> item.text().stream()).toList();
    }
}
