package dev.ouroboros.core.upgrade;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.version.Component;
import dev.ouroboros.core.version.KubernetesVersion;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a cluster is to become.
 *
 * @param base manifests that it was last made from
 * @param target manifests of the new version, rendered but not written
 * @param problems why the target cannot be rendered
 * @param changed parts whose manifests differ between the two
 * @param isDifferent whether anything of the asset directory would change
 * @param loadsImages whether applying it brings the images to the nodes, as in a sandbox
 * @param unknownFlags by program, what the target's own binaries said of flags that they were given; a program that is missing was not asked
 */
public record Intent(
        KubernetesVersion version,
        Evidence<List<Manifest>> base,
        Evidence<List<Manifest>> target,
        List<Problem> problems,
        Set<Part> changed,
        boolean isDifferent,
        boolean loadsImages,
        Map<Component, Evidence<Set<String>>> unknownFlags) {
    public Intent {
        problems = List.copyOf(problems);
        changed = Set.copyOf(changed);
        unknownFlags = Map.copyOf(new TreeMap<>(unknownFlags));
    }
}
