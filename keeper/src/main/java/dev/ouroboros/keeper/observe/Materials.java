package dev.ouroboros.keeper.observe;

import dev.ouroboros.keeper.decide.Material;
import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Checkpointing;
import dev.ouroboros.model.checkpoint.References;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.StaticPodRules;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * What could be saved of each component now. A checkpoint is made anew only when the pod or something that the pod refers to
 * changed: the checkpoint and its revision cost a digest of all files each.
 */
final class Materials {
    private final StaticPodRules rules;
    private final Function<ApiObject, Evidence<Optional<Json>>> lookup;
    private final Map<ComponentName, Made> made = new HashMap<>();

    private record Made(
            String podUid, Inputs inputs, Evidence<Checkpointing.Result> result, Evidence<Material> material) {}

    private record Inputs(Json pod, KubernetesVersion kubelet, Map<ApiObject, Evidence<Optional<Json>>> objects) {}

    Materials(StaticPodRules rules, Function<ApiObject, Evidence<Optional<Json>>> lookup) {
        this.rules = rules;
        this.lookup = lookup;
    }

    /** What must be read for these pods. */
    static Set<ApiObject> references(List<PodSummary> pods) {
        Set<ApiObject> all = new HashSet<>();
        for (PodSummary pod : pods) {
            pod.object()
                    .filter(_ -> pod.pod().isAlive())
                    .ifPresent(object -> all.addAll(References.of(object).toRead()));
        }
        return all;
    }

    /**
     * From the youngest living pod that asks for a checkpoint; without one, from a pod of another node.
     *
     * @param pods of this node
     * @param elsewhere what is ready on another node; unknown where nothing is kept up to date from there
     */
    synchronized Evidence<Material> of(
            ComponentName component,
            List<PodSummary> pods,
            Evidence<PodSummary> elsewhere,
            Evidence<KubernetesVersion> kubelet) {
        Optional<PodSummary> youngest = pods.stream()
                .filter(pod -> pod.object().isPresent() && pod.pod().isAlive())
                .max(PodSummary.BY_AGE);
        if (youngest.isEmpty() && elsewhere instanceof Evidence.Unknown<PodSummary>) {
            made.remove(component);
            return Evidence.unknown("no living pod asks for a checkpoint");
        }
        if (!(kubelet instanceof Evidence.Known<KubernetesVersion>(KubernetesVersion version))) {
            return Evidence.unknown("the version of the kubelet is not known");
        }
        return youngest.isPresent()
                ? make(component, youngest.get(), version).material()
                : elsewhere.flatMap(pod -> ofAnotherNode(pod, make(component, pod, version)));
    }

    private static Evidence<Material> ofAnotherNode(PodSummary pod, Made made) {
        return made.material().flatMap(material -> switch (material) {
            case Material.Complete(String _, Revision revision) ->
                Evidence.known(new Material.OnAnotherNode(pod.pod(), revision));
            case Material.OnAnotherNode _ -> Evidence.known(material);
            case Material.Refused(String _, List<Problem> problems) ->
                Evidence.unknown("what runs on another node cannot be a static pod here: " + problems.getFirst());
        });
    }

    private static Evidence<Material> material(String podUid, Evidence<Checkpointing.Result> result) {
        return switch (result) {
            case Evidence.Unknown<Checkpointing.Result>(String reason) -> Evidence.unknown(reason);
            case Evidence.Known<Checkpointing.Result>(Checkpointing.Result.Complete(Checkpoint checkpoint)) ->
                Evidence.known(new Material.Complete(podUid, checkpoint.revision()));
            case Evidence.Known<Checkpointing.Result>(Checkpointing.Result.Refused(var problems)) ->
                Evidence.known(new Material.Refused(podUid, problems));
        };
    }

    private Made make(ComponentName component, PodSummary pod, KubernetesVersion kubelet) {
        Json object = pod.object().orElseThrow();
        Made before = made.get(component);
        Set<ApiObject> references = before != null && before.inputs().pod().equals(object)
                ? before.inputs().objects().keySet()
                : References.of(object).toRead();
        if (before != null
                && before.podUid().equals(pod.pod().uid())
                && before.inputs().pod().equals(object)
                && before.inputs().kubelet().equals(kubelet)
                && areAsBefore(before.inputs().objects())) {
            return before;
        }
        Map<ApiObject, Evidence<Optional<Json>>> objects = new HashMap<>();
        references.forEach(reference -> objects.put(reference, lookup.apply(reference)));
        Inputs inputs = new Inputs(object, kubelet, objects);
        Evidence<Checkpointing.Result> result = new Checkpointing(rules, kubelet)
                .of(
                        object,
                        reference -> objects.getOrDefault(reference, Evidence.unknown(reference + ": not read yet")));
        String podUid = pod.pod().uid();
        Made now = new Made(podUid, inputs, result, material(podUid, result));
        made.put(component, now);
        return now;
    }

    private boolean areAsBefore(Map<ApiObject, Evidence<Optional<Json>>> objects) {
        return objects.entrySet().stream()
                .allMatch(object -> lookup.apply(object.getKey()).equals(object.getValue()));
    }

    /** What that pod is made of, if it is known and whole. */
    synchronized Optional<Revised> running(ComponentName component) {
        Made now = made.get(component);
        return now != null
                        && now.result()
                                instanceof
                                Evidence.Known<Checkpointing.Result>(
                                        Checkpointing.Result.Complete(Checkpoint checkpoint))
                        && now.material()
                                instanceof Evidence.Known<Material>(Material.Complete(var _, Revision revision))
                ? Optional.of(new Revised(checkpoint, revision))
                : Optional.empty();
    }

    /** The checkpoint of a revision, if that is still what could be saved. */
    synchronized Optional<Checkpoint> checkpoint(ComponentName component, Revision revision) {
        return running(component).filter(now -> now.revision().equals(revision)).map(Revised::checkpoint);
    }

    /** Drops what was made of components that are not there any more. */
    synchronized void retainOnly(Set<ComponentName> components) {
        made.keySet().retainAll(components);
    }
}
