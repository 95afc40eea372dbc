package dev.ouroboros.doctor;

import dev.ouroboros.keeper.act.RuntimeArchive;
import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.status.seen.NodeSeen;
import dev.ouroboros.status.seen.SavedSlots;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Whether each image that an understudy would need outlives the kubelet's garbage collection, in an archive of the keeper's. */
final class ImageExam {
    private static final String CHECK = Ailment.IMAGE_IS_NOT_ARCHIVED.check();

    private ImageExam() {}

    static List<Finding> of(ClusterChart chart) {
        if (chart.status().node() instanceof Unknown<NodeSeen>(String why)) {
            return List.of(Finding.unknown(CHECK, why));
        }
        if (chart.archives() instanceof Unknown<Set<String>>(String why)) {
            return List.of(Finding.unknown(CHECK, why));
        }
        return chart.status().node() instanceof Known<NodeSeen>(NodeSeen node)
                ? judge(node.checkpoints(), chart.archives().orElse(Set.of()))
                : List.of();
    }

    private static List<Finding> judge(
            Evidence<Map<ComponentName, Evidence<SavedSlots>>> checkpoints, Set<String> archives) {
        if (checkpoints instanceof Unknown<Map<ComponentName, Evidence<SavedSlots>>>(String why)) {
            return List.of(Finding.unknown(CHECK, why));
        }
        SortedSet<String> needed = new TreeSet<>();
        for (Evidence<SavedSlots> slots : checkpoints.orElse(Map.of()).values()) {
            if (slots instanceof Known<SavedSlots>(SavedSlots saved)) {
                Stream.of(saved.lastGood(), saved.candidate())
                        .flatMap(slot -> slot.stream())
                        .forEach(checkpoint -> needed.addAll(checkpoint.images()));
            }
        }
        List<Finding> findings = needed.stream()
                .filter(image -> !archives.contains(RuntimeArchive.fileName(image)))
                .map(Ailment.IMAGE_IS_NOT_ARCHIVED::seen)
                .toList();
        return findings.isEmpty()
                ? List.of(Finding.ok(CHECK, needed.size() + " images of checkpoints, each archived on the node"))
                : findings;
    }
}
