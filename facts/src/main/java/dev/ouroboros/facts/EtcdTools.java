package dev.ouroboros.facts;

import dev.ouroboros.model.version.KubernetesVersion;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What etcd's own tools can do, by the version of etcd, which etcd a Kubernetes wants, and which may become another one. */
public final class EtcdTools {
    private final Map<String, List<Fact>> sections = FactFile.load("etcd.yaml");

    /** Programs that restore a snapshot, the better one first. */
    public List<String> restoring(KubernetesVersion etcd) {
        return sections.getOrDefault("restore", List.of()).stream()
                .filter(fact -> fact.range().contains(etcd))
                .map(fact -> fact.get("tool"))
                .toList();
    }

    /** Every program that restores snapshots of some version. */
    public List<String> restoring() {
        return sections.getOrDefault("restore", List.of()).stream()
                .map(fact -> fact.get("tool"))
                .toList();
    }

    /** Whether a restore can raise the revision, and mark what was before as compacted, so that every watch lists again. */
    public boolean raisesRevision(KubernetesVersion etcd) {
        return sections.getOrDefault("raiseRevision", List.of()).stream()
                .anyMatch(fact -> fact.range().contains(etcd));
    }

    /** Whether a member can be added that only follows. */
    public boolean hasLearners(KubernetesVersion etcd) {
        return sections.getOrDefault("learners", List.of()).stream()
                .anyMatch(fact -> fact.range().contains(etcd));
    }

    /**
     * The oldest etcd that a Kubernetes is tested with, or that another etcd may follow.
     *
     * @param source who says so
     */
    public record Oldest(KubernetesVersion etcd, String source) {}

    /** Empty when nothing is known. */
    public Optional<Oldest> oldestFor(KubernetesVersion kubernetes) {
        return oldest("oldest", kubernetes);
    }

    private Optional<Oldest> oldest(String section, KubernetesVersion version) {
        return sections.getOrDefault(section, List.of()).stream()
                .filter(fact -> fact.range().contains(version))
                .map(fact -> new Oldest(
                        KubernetesVersion.parse(fact.get("etcd"))
                                .orElseThrow(() -> new IllegalStateException("no version: " + fact)),
                        fact.source()))
                .findFirst();
    }

    /** The oldest etcd that may become one of this version; empty when any of the minor version before it may. */
    public Optional<Oldest> oldestBefore(KubernetesVersion etcd) {
        return oldest("before", etcd);
    }

    /** The oldest etcd of its minor version that may be defragmented while it runs; empty when any may. */
    public Optional<Oldest> oldestDefragmented(KubernetesVersion etcd) {
        return oldest("defragmented", etcd);
    }

    /** The etcd that is downloaded for a Kubernetes: one older than all that is known has the oldest, and words that are no version the newest. */
    public String pairedWith(String kubernetes) {
        List<Fact> pairs = sections.getOrDefault("paired", List.of());
        return KubernetesVersion.parse(kubernetes)
                .map(version -> pairs.stream()
                        .filter(fact -> fact.range().contains(version))
                        .findFirst()
                        .orElseGet(pairs::getFirst))
                .orElseGet(pairs::getLast)
                .get("etcd");
    }
}
