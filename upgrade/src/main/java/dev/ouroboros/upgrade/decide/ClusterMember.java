package dev.ouroboros.upgrade.decide;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.Comparator;

/**
 * One running instance of a component.
 *
 * @param place the node it runs on; empty when that is not known
 */
public record ClusterMember(Component component, String place, KubernetesVersion version)
        implements Comparable<ClusterMember> {
    private static final Comparator<ClusterMember> ORDER = Comparator.comparing(ClusterMember::component)
            .thenComparing(ClusterMember::place)
            .thenComparing(ClusterMember::version);

    ClusterMember at(KubernetesVersion other) {
        return new ClusterMember(component, place, other);
    }

    /** As its project writes it: {@code v1.20.2} for Kubernetes, {@code 3.4.23} for etcd. */
    public String versionText() {
        return component.isKubernetes() ? version.tag() : version.number();
    }

    /** As in {@code kubelet v1.20.2 on node-1}. */
    public String describe() {
        return component.id() + " " + versionText() + (place.isEmpty() ? "" : " on " + place);
    }

    @Override
    public int compareTo(ClusterMember other) {
        return ORDER.compare(this, other);
    }
}
