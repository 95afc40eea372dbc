package dev.ouroboros.facts;

import dev.ouroboros.model.component.Component;
import java.util.List;
import java.util.Map;

/** The version skew policy of Kubernetes: {@code skew.yaml} beside this class, each rule with its source. */
public final class SkewPolicy {
    private static final String RESOURCE = "skew.yaml";

    private final List<SkewRule> rules;
    private final int minorsAtOnce;

    private SkewPolicy(List<SkewRule> rules, int minorsAtOnce) {
        this.rules = List.copyOf(rules);
        this.minorsAtOnce = minorsAtOnce;
    }

    /** Reads the data, so ask once. */
    public static SkewPolicy load() {
        Map<String, List<Fact>> sections = FactFile.load(RESOURCE);
        List<SkewRule> rules = sections.getOrDefault("skew", List.of()).stream()
                .map(fact -> new SkewRule(
                        fact.get("component"),
                        fact.get("than"),
                        Integer.parseInt(fact.get("older")),
                        Integer.parseInt(fact.get("newer")),
                        fact.range(),
                        fact.is("sameNode", "true"),
                        fact.source()))
                .toList();
        int minors = sections.getOrDefault("step", List.of()).stream()
                .filter(fact -> fact.is("component", Component.API_SERVER.id()))
                .map(fact -> Integer.parseInt(fact.get("minors")))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(RESOURCE + " has no step of the API server"));
        return new SkewPolicy(rules, minors);
    }

    public List<SkewRule> rules() {
        return rules;
    }

    /** How many minor versions an API server may go in one step. */
    public int minorsAtOnce() {
        return minorsAtOnce;
    }
}
