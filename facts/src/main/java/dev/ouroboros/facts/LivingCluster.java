package dev.ouroboros.facts;

import dev.ouroboros.model.component.Component;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What a cluster that lives takes of a changed Cluster document: {@code living.yaml} beside this class. */
public final class LivingCluster {
    private static final String RESOURCE = "living.yaml";

    private final List<FieldRule> fields;
    private final List<FlagRule> flags;
    private final EndpointRule endpoint;

    private LivingCluster(List<FieldRule> fields, List<FlagRule> flags, EndpointRule endpoint) {
        this.fields = List.copyOf(fields);
        this.flags = List.copyOf(flags);
        this.endpoint = endpoint;
    }

    /** What becomes of a field that somebody changed. */
    public enum Verdict {
        /** It has one value. */
        CONSTANT,
        TAKEN,
        REFUSED,
        /** Carried out, and nobody can say beforehand whether the value is good. */
        UNJUDGED
    }

    /**
     * A field of the document.
     *
     * @param byRendering whether rendering over the directory of before refuses it
     * @param what comes of it, or is not judged
     */
    public record FieldRule(String path, Verdict verdict, boolean byRendering, String what) {}

    /** What a flag's new value must have of the old one. */
    public enum Keeping {
        /** All of it. */
        SAME,
        /** A range of ports that has the old one in it. */
        RANGE,
        /** All elements of the old list. */
        LIST,
        /** Nobody can tell. */
        UNJUDGED
    }

    /**
     * A flag whose value a living cluster holds on to.
     *
     * @param field of the document that sets it, beside extra arguments
     * @param usual what the program does without the flag
     * @param instead what one can do
     */
    public record FlagRule(
            Component component,
            String flag,
            Optional<String> field,
            Optional<String> usual,
            Keeping keeping,
            String why,
            String instead) {}

    /** The address in every kubeconfig. */
    public record EndpointRule(String field, String why, String instead) {}

    /** Reads the data, so ask once. */
    public static LivingCluster load() {
        Map<String, List<Fact>> sections = FactFile.load(RESOURCE);
        return new LivingCluster(
                sections.getOrDefault("fields", List.of()).stream()
                        .map(fact -> new FieldRule(
                                fact.get("path"),
                                Verdict.valueOf(constant(fact.get("verdict"))),
                                fact.is("byRendering", "true"),
                                fact.get("what")))
                        .toList(),
                sections.getOrDefault("flags", List.of()).stream()
                        .map(LivingCluster::flag)
                        .toList(),
                sections.getOrDefault("endpoint", List.of()).stream()
                        .map(fact -> new EndpointRule(fact.get("field"), fact.get("why"), fact.get("instead")))
                        .findFirst()
                        .orElseThrow(() -> new IllegalStateException(RESOURCE + " has no endpoint")));
    }

    private static FlagRule flag(Fact fact) {
        return new FlagRule(
                Component.ofId(fact.get("component"))
                        .orElseThrow(() -> new IllegalStateException(RESOURCE + ": no component " + fact)),
                fact.get("flag"),
                fact.find("field"),
                fact.find("usual"),
                Keeping.valueOf(constant(fact.get("keeps"))),
                fact.get("why"),
                fact.get("instead"));
    }

    private static String constant(String word) {
        return word.toUpperCase(Locale.ROOT);
    }

    public List<FieldRule> fields() {
        return fields;
    }

    public List<FlagRule> flags() {
        return flags;
    }

    public EndpointRule endpoint() {
        return endpoint;
    }
}
