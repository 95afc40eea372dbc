package dev.ouroboros.facts;

import dev.ouroboros.model.version.KubernetesVersion;

/**
 * How far the version of one component may be from that of another.
 *
 * @param component as in kubelet
 * @param than the one that it is compared with
 * @param older how many minor versions the component may be older
 * @param newer how many it may be newer
 * @param range the component's own versions that this is about
 * @param isOfSameNode whether only the one on its own node counts
 * @param source who says so
 */
public record SkewRule(
        String component, String than, int older, int newer, VersionRange range, boolean isOfSameNode, String source) {
    /** Whether a component and another one may work together; true when the rule is not about this component's version. */
    public boolean allows(KubernetesVersion version, KubernetesVersion other) {
        if (!range.contains(version)) {
            return true;
        }
        if (version.major() != other.major()) {
            return false;
        }
        int ahead = version.minor() - other.minor();
        return ahead <= newer && -ahead <= older;
    }

    /** As in {@code at most 2 older, none newer}. */
    public String limit() {
        return "at most " + older + " older, " + (newer == 0 ? "never newer" : "at most " + newer + " newer");
    }
}
