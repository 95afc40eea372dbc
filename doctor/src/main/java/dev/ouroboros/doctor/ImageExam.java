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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Whether each image that an understudy would need is in an archive of the keeper's, safe from the kubelet's garbage collection. */
final class ImageExam {
    private static final String CHECK = Ailment.IMAGE_IS_NOT_ARCHIVED.check();

    private ImageExam() {}

    static List<Finding> of(ClusterChart chart) {
        List<Finding> findings = new ArrayList<>();
        int images = 0;
        for (NodeChart node : chart.nodes()) {
            String there = chart.nodes().size() > 1 && !node.name().isEmpty() ? " on " + node.name() : "";
            switch (needed(node)) {
                case Unknown<SortedSet<String>>(String why) ->
                    findings.add(Finding.unknown(CHECK, there.isEmpty() ? why : why + there));
                case Known<SortedSet<String>>(SortedSet<String> needed) -> {
                    images += needed.size();
                    missing(node, needed)
                            .forEach(image -> findings.add(Ailment.IMAGE_IS_NOT_ARCHIVED.seen(image + there)));
                }
            }
        }
        return findings.isEmpty()
                ? List.of(Finding.ok(CHECK, images + " images of checkpoints, each archived on its node"))
                : List.copyOf(findings);
    }

    /** References of all images that a checkpoint on the node's disk names. */
    private static Evidence<SortedSet<String>> needed(NodeChart node) {
        return node.seen()
                .flatMap(NodeSeen::checkpoints)
                .flatMap(checkpoints -> node.archives().map(_ -> imagesOf(checkpoints)));
    }

    private static SortedSet<String> imagesOf(Map<ComponentName, Evidence<SavedSlots>> checkpoints) {
        SortedSet<String> needed = new TreeSet<>();
        for (Evidence<SavedSlots> slots : checkpoints.values()) {
            if (slots instanceof Known<SavedSlots>(SavedSlots saved)) {
                Stream.of(saved.lastGood(), saved.candidate())
                        .flatMap(slot -> slot.stream())
                        .forEach(checkpoint -> needed.addAll(checkpoint.images()));
            }
        }
        return needed;
    }

    private static Stream<String> missing(NodeChart node, SortedSet<String> needed) {
        Set<String> archives = node.archives().orElse(Set.of());
        return needed.stream().filter(image -> !archives.contains(RuntimeArchive.fileName(image)));
    }
}
