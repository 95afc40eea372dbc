package dev.ouroboros.upgrade.decide;

import dev.ouroboros.facts.SkewRule;

/** Two instances that work together, and the rule that says how far apart they may be. */
public record SkewPair(ClusterMember member, ClusterMember than, SkewRule rule) {
    public boolean isAllowed() {
        return rule.allows(member.version(), than.version());
    }

    /** Whether they are of one minor version, about which there is nothing to say. */
    public boolean isTrivial() {
        return member.version().minorVersion().equals(than.version().minorVersion());
    }

    /** As in {@code kubelet v1.20.2 on node-1 with kube-apiserver v1.21.0 on node-1: at most 2 older, never newer}. */
    public String describe() {
        return member.describe() + " with " + than.describe() + ": " + rule.limit();
    }
}
