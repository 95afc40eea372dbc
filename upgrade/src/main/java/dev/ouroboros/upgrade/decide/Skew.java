package dev.ouroboros.upgrade.decide;

import dev.ouroboros.facts.SkewPolicy;
import dev.ouroboros.facts.SkewRule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Which instances the version skew policy is about, and what it says of each pair. */
public final class Skew {
    private final List<SkewRule> rules;

    public Skew(SkewPolicy policy) {
        this.rules = policy.rules();
    }

    /** Every pair that a rule is about, in the order of the rules and of the instances. */
    public List<SkewPair> pairs(Collection<ClusterMember> members) {
        List<ClusterMember> sorted = members.stream().sorted().toList();
        List<SkewPair> pairs = new ArrayList<>();
        for (SkewRule rule : rules) {
            for (ClusterMember member : sorted) {
                if (isOf(member, rule.component()) && rule.range().contains(member.version())) {
                    sorted.stream()
                            .filter(other -> isOf(other, rule.than()) && isCompared(rule, member, other))
                            .forEach(other -> pairs.add(new SkewPair(member, other, rule)));
                }
            }
        }
        return List.copyOf(pairs);
    }

    public List<SkewPair> forbidden(Collection<ClusterMember> members) {
        return pairs(members).stream().filter(pair -> !pair.isAllowed()).toList();
    }

    private static boolean isOf(ClusterMember member, String component) {
        return member.component().id().equals(component);
    }

    private static boolean isCompared(SkewRule rule, ClusterMember member, ClusterMember other) {
        if (rule.component().equals(rule.than())) {
            // Two of a kind are one pair, not two.
            return member.compareTo(other) < 0;
        }
        return !rule.isOfSameNode() || member.place().equals(other.place());
    }
}
