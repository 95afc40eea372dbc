package dev.ouroboros.upgrade.decide;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.upgrade.merge.Conflict;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a cluster is to become.
 *
 * @param emulated the older version that it is to emulate
 * @param base manifests that the cluster was last made from
 * @param target manifests of the new version, rendered but not written
 * @param problems why the target cannot be rendered
 * @param edited files of the asset directory that somebody edited, and that the target would replace
 * @param reissued why certificates of the asset directory would be issued again, by path
 * @param changed components whose manifests differ between base and target
 * @param isDifferent whether anything of the asset directory would change
 * @param loadsImages whether applying it brings the images to the nodes, as in a sandbox
 * @param changesKubelets whether applying it exchanges kubelets, too; else a person does
 * @param programs what the target's own programs said of themselves; one that is missing was not asked
 * @param document the Cluster document that the target comes from
 * @param underWay description of an upgrade that was begun and is not done
 * @param conflicts what the cluster and the target both changed; none when the caller checks that itself
 */
public record Intent(
        KubernetesVersion version,
        Optional<KubernetesVersion> emulated,
        Evidence<List<Manifest>> base,
        Evidence<List<Manifest>> target,
        List<Problem> problems,
        List<Problem> edited,
        SortedMap<String, String> reissued,
        Set<Component> changed,
        boolean isDifferent,
        boolean loadsImages,
        boolean changesKubelets,
        Map<Component, Evidence<Program>> programs,
        DocumentChange document,
        Optional<String> underWay,
        Evidence<Map<ObjectName, List<Conflict>>> conflicts) {
    /**
     * What a program says of itself.
     *
     * @param refused those of the flags in use that it does not know
     * @param gates feature gates that it lists: alpha and beta ones, and those that it marks as deprecated
     */
    public record Program(Set<String> refused, Set<String> gates) {
        public Program {
            refused = Set.copyOf(refused);
            gates = Set.copyOf(gates);
        }
    }

    /** The version whose APIs are served. */
    KubernetesVersion served() {
        return emulated.orElse(version);
    }

    public Intent {
        problems = List.copyOf(problems);
        edited = List.copyOf(edited);
        reissued = Collections.unmodifiableSortedMap(new TreeMap<>(reissued));
        changed = Set.copyOf(changed);
        programs = Map.copyOf(new TreeMap<>(programs));
    }
}
