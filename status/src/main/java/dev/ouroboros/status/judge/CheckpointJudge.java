package dev.ouroboros.status.judge;

import dev.ouroboros.keeper.decide.CheckpointSummary;
import dev.ouroboros.keeper.decide.CheckpointSummary.Told;
import dev.ouroboros.model.checkpoint.PodIdentity;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.status.model.CheckpointSlots;
import dev.ouroboros.status.model.NodeCheckpoints;
import dev.ouroboros.status.model.Slot;
import dev.ouroboros.status.seen.ApiSeen;
import dev.ouroboros.status.seen.NodeSeen;
import dev.ouroboros.status.seen.SavedCheckpoint;
import dev.ouroboros.status.seen.SavedSlots;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The checkpoints of a component, node by node. For the node that is looked at, the disk is read; for all others, and where the disk cannot
 * be read, the annotation that the keepers keep on their Nodes.
 *
 * <pre>
 * a node is shown     when its keeper tells of the component, or a pod of it is there and a keeper has been, or should be, too
 * unknown             when there is no Node, no annotation, or one that cannot be understood
 * in doubt            when the Node is not ready, or no keeper is: a later change would not be reported
 * </pre>
 */
final class CheckpointJudge {
    private static final Set<String> CONTROL_PLANE =
            Set.of("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master");

    private final Evidence<NodeSeen> here;
    private final SortedMap<String, Teller> tellers;
    private final Evidence<Set<String>> nodes;

    /**
     * What the keeper of a node tells of its checkpoints.
     *
     * @param said what the annotation of the Node says
     */
    private record Teller(Evidence<Told> said, String doubt) {
        boolean tellsOf(ComponentName name) {
            return said.is(told -> told.summary().components().containsKey(name)
                    || told.summary().unknown().containsKey(name));
        }
    }

    /** @param pods all that are not being deleted, copies among them */
    CheckpointJudge(Evidence<ApiSeen> api, Evidence<NodeSeen> here, List<ApiPod> pods) {
        this.here = here;
        this.nodes = names(api);
        this.tellers = new TreeMap<>();
        Set<String> kept = keepers(pods).stream().map(ApiPod::node).collect(Collectors.toSet());
        for (Json node : objects(api)) {
            String name = nameOf(node);
            if (kept.contains(name) || annotation(node).isPresent() || isOfControlPlane(node)) {
                tellers.put(name, new Teller(said(name, node), doubt(name, node, pods)));
            }
        }
        kept.stream()
                .filter(name -> !name.isEmpty() && !tellers.containsKey(name))
                .forEach(name -> tellers.put(name, new Teller(Evidence.unknown(missing(name)), "")));
    }

    private static List<Json> objects(Evidence<ApiSeen> api) {
        return api.orElse(ApiSeen.unknown("", "")).nodes().orElse(List.of());
    }

    private static Evidence<Set<String>> names(Evidence<ApiSeen> api) {
        return api.flatMap(ApiSeen::nodes)
                .map(all -> all.stream().map(CheckpointJudge::nameOf).collect(Collectors.toUnmodifiableSet()));
    }

    private String missing(String name) {
        return nodes instanceof Unknown<Set<String>>(String why)
                ? "the Nodes are not known: " + why
                : "there is no Node " + name;
    }

    private static String nameOf(Json node) {
        return node.at("metadata", "name").text().orElse("?");
    }

    private static Optional<String> annotation(Json node) {
        return node.at("metadata", "annotations", CheckpointSummary.ANNOTATION).text();
    }

    private static boolean isOfControlPlane(Json node) {
        return node.at("metadata", "labels").fields().keySet().stream().anyMatch(CONTROL_PLANE::contains);
    }

    private static List<ApiPod> keepers(List<ApiPod> pods) {
        return pods.stream()
                .filter(pod -> pod.component().equals(PodIdentity.KEEPER))
                .toList();
    }

    private static Evidence<Told> said(String name, Json node) {
        Optional<String> annotation = annotation(node);
        if (annotation.isEmpty()) {
            return Evidence.unknown(
                    "no keeper has said so on Node " + name + " (annotation " + CheckpointSummary.ANNOTATION + ")");
        }
        return switch (CheckpointSummary.read(annotation.get())) {
            case Unknown<Told>(String why) ->
                Evidence.unknown("annotation " + CheckpointSummary.ANNOTATION + " of Node " + name + " " + why);
            case Known<Told> known -> known;
        };
    }

    private static String doubt(String name, Json node, List<ApiPod> pods) {
        if (!KubeletJudge.isReady(node)) {
            return "Node " + name + " is not ready";
        }
        List<ApiPod> here = keepers(pods).stream()
                .filter(keeper -> keeper.node().equals(name))
                .toList();
        // The probe of the DaemonSet's pod asks whichever of the two keepers works; the static copy has no probe, and
        // is ready while it waits.
        boolean isManaged = here.stream().anyMatch(keeper -> !keeper.isStatic());
        boolean isKept = here.stream().anyMatch(keeper -> keeper.ready() && keeper.isStatic() != isManaged);
        return isKept ? "" : "no keeper is ready on " + name;
    }

    /** Unknown when no node is known that should have checkpoints of the component. */
    Evidence<List<NodeCheckpoints>> judge(ComponentEvidence clues) {
        Set<String> running = clues.apiPods().stream().map(ApiPod::node).collect(Collectors.toSet());
        SortedSet<String> names = new TreeSet<>();
        tellers.forEach((name, teller) -> {
            if (running.contains(name) || teller.tellsOf(clues.name())) {
                names.add(name);
            }
        });
        if (here instanceof Known<NodeSeen>(NodeSeen seen) && (names.isEmpty() || isHere(clues, seen))) {
            names.add(seen.name());
        }
        return names.isEmpty()
                ? Evidence.unknown(KubeletJudge.ELSEWHERE)
                : Evidence.known(names.stream().map(name -> on(name, clues)).toList());
    }

    private static boolean isHere(ComponentEvidence clues, NodeSeen seen) {
        return clues.slots().isPresent()
                || clues.keeper().isPresent()
                || !clues.runtimePods().isEmpty()
                || clues.apiPods().stream().anyMatch(pod -> pod.node().equals(seen.name()));
    }

    private NodeCheckpoints on(String name, ComponentEvidence clues) {
        if (!(here instanceof Known<NodeSeen>(NodeSeen seen)) || !seen.name().equals(name)) {
            // Every node named besides this one has a Teller.
            return told(name, clues.name()).orElseThrow();
        }
        if (seen.checkpoints() instanceof Unknown<?>(String why)) {
            return told(name, clues.name())
                    .filter(told -> told.slots() instanceof Known)
                    .orElseGet(() -> own(name, Evidence.unknown(why)));
        }
        return own(
                name,
                clues.slots()
                        .map(CheckpointJudge::checkpoints)
                        .orElseGet(() -> Evidence.known(new CheckpointSlots(Optional.empty(), Optional.empty()))));
    }

    private static NodeCheckpoints own(String name, Evidence<CheckpointSlots> slots) {
        return new NodeCheckpoints(name, slots, Optional.empty());
    }

    private Optional<NodeCheckpoints> told(String name, ComponentName component) {
        return Optional.ofNullable(tellers.get(name)).map(teller -> switch (teller.said()) {
            case Unknown<Told>(String why) ->
                new NodeCheckpoints(
                        name,
                        Evidence.unknown(why),
                        Optional.of(new NodeCheckpoints.Told(Optional.empty(), teller.doubt())));
            case Known<Told>(Told told) ->
                new NodeCheckpoints(
                        name,
                        checkpoints(told.summary(), component),
                        Optional.of(new NodeCheckpoints.Told(Optional.of(told.at()), teller.doubt())));
        });
    }

    private static Evidence<CheckpointSlots> checkpoints(CheckpointSummary summary, ComponentName component) {
        if (summary.unknown().containsKey(component)) {
            return Evidence.unknown(summary.unknown().get(component));
        }
        Optional<CheckpointSummary.Saved> saved =
                Optional.ofNullable(summary.components().get(component));
        return Evidence.known(new CheckpointSlots(
                saved.flatMap(CheckpointSummary.Saved::lastGood).map(CheckpointJudge::slot),
                saved.flatMap(CheckpointSummary.Saved::candidate).map(CheckpointJudge::slot)));
    }

    private static Slot slot(CheckpointSummary.Slot told) {
        return new Slot(told.revision().digest(), told.savedAt());
    }

    private static Evidence<CheckpointSlots> checkpoints(Evidence<SavedSlots> slots) {
        return slots.map(saved -> new CheckpointSlots(
                saved.lastGood().map(CheckpointJudge::slot), saved.candidate().map(CheckpointJudge::slot)));
    }

    private static Slot slot(SavedCheckpoint saved) {
        return new Slot(saved.revision().digest(), saved.savedAt());
    }
}
