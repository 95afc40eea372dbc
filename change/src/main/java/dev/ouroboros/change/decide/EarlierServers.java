package dev.ouroboros.change.decide;

import dev.ouroboros.keeper.decide.ChangeReport;
import dev.ouroboros.keeper.decide.CheckpointSummary;
import dev.ouroboros.keeper.decide.CheckpointSummary.Saved;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentContainer;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.RevisionHash;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * API servers that may still write as an earlier template said, although all pods that the DaemonSet counts are of the present one. It counts neither a pod that
 * ends on a node that has lost its label, nor an understudy, nor a checkpoint that a keeper would start one from.
 */
public final class EarlierServers {
    private static final ComponentName API_SERVER = new ComponentName("kube-system", Component.API_SERVER.id());

    private EarlierServers() {}

    /**
     * What is to be waited for before the next template is written; empty when every API server is of the present one.
     *
     * @param pods of kube-system
     * @param nodes all of them
     */
    public static Optional<String> waitedFor(Json daemonSet, List<Json> pods, List<Json> nodes) {
        return Stream.of(ending(daemonSet, pods), understudies(pods), checkpoints(daemonSet, nodes))
                .flatMap(List::stream)
                .findFirst();
    }

    /** Pods that are of another template than the others. Of one template there are only those that the DaemonSet counts, and knows to be of the present one. */
    private static List<String> ending(Json daemonSet, List<Json> pods) {
        List<Json> owned = DaemonSetPods.of(daemonSet, pods);
        boolean isOfOne = owned.stream().map(RevisionHash::of).distinct().count() <= 1;
        Set<Optional<String>> staying = owned.stream()
                .filter(pod -> !DaemonSetPods.isEnding(pod))
                .map(RevisionHash::of)
                .collect(Collectors.toSet());
        return isOfOne
                ? List.of()
                : owned.stream()
                        .filter(pod -> staying.size() > 1 || !staying.contains(RevisionHash.of(pod)))
                        .map(pod -> "the API server of an earlier template on " + node(pod) + " to end")
                        .toList();
    }

    private static List<String> understudies(List<Json> pods) {
        return pods.stream()
                .filter(pod -> !pod.at("metadata", "labels", Understudy.LABEL).isNull())
                .filter(pod -> ComponentContainer.in(pod.at("spec"), Component.API_SERVER)
                        .isPresent())
                .map(pod -> "the API server's understudy on " + node(pod) + " to end")
                .toList();
    }

    private static String node(Json pod) {
        return pod.at("spec", "nodeName").text().orElse("no node");
    }

    private static List<String> checkpoints(Json daemonSet, List<Json> nodes) {
        List<String> waitedFor = new ArrayList<>();
        Map<String, String> revisions = new TreeMap<>();
        for (Json node : nodes) {
            String name = node.at("metadata", "name").text().orElse("");
            Optional<String> told = node.at("metadata", "annotations", CheckpointSummary.ANNOTATION)
                    .text();
            if (told.isPresent()) {
                switch (CheckpointSummary.read(told.get())) {
                    case Unknown<CheckpointSummary.Told>(String why) ->
                        waitedFor.add("the keeper of " + name + " to say what it has saved: " + why);
                    case Known<CheckpointSummary.Told>(CheckpointSummary.Told known) -> {
                        Optional.ofNullable(known.summary().unknown().get(API_SERVER))
                                .ifPresent(why -> waitedFor.add(
                                        "the API server's checkpoint on " + name + " to be readable: " + why));
                        Optional<Saved> saved =
                                Optional.ofNullable(known.summary().components().get(API_SERVER));
                        saved.flatMap(Saved::candidate)
                                .ifPresent(
                                        _ -> waitedFor.add("the API server's checkpoint on " + name + " to be proven"));
                        saved.flatMap(Saved::lastGood)
                                .ifPresent(slot ->
                                        revisions.put(name, slot.revision().digest()));
                    }
                }
            }
        }
        waitedFor.addAll(ofAnotherRevision(daemonSet, revisions));
        return waitedFor;
    }

    /** Where something in the API changes pods as they are made, no checkpoint is of the template's own revision, and none can be compared. */
    private static List<String> ofAnotherRevision(Json daemonSet, Map<String, String> revisions) {
        Optional<String> present = daemonSet
                .at("metadata", "annotations", ChangeReport.REVISION_ANNOTATION)
                .text()
                .filter(revisions::containsValue);
        return revisions.entrySet().stream()
                .filter(saved -> present.isPresent() && !saved.getValue().equals(present.get()))
                .map(saved -> "the API server's checkpoint on " + saved.getKey() + " to be of the present template")
                .toList();
    }
}
