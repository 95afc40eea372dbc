package dev.ouroboros.keeper.observe;

import dev.ouroboros.keeper.decide.Material;
import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Checkpointing;
import dev.ouroboros.model.checkpoint.References;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What could be saved of each component now. */
final class Materials {
    private final CheckpointMaker maker;
    private final Map<ComponentName, Made> made = new HashMap<>();

    private record Made(CheckpointMaker.Attempt checkpoint, Evidence<Material> material) {}

    Materials(CheckpointMaker maker) {
        this.maker = maker;
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

    private static Evidence<Material> material(String podUid, CheckpointMaker.Attempt made) {
        return made.result().map(result -> switch (result) {
            case Checkpointing.Result.Complete _ ->
                new Material.Complete(podUid, made.complete().orElseThrow().revision());
            case Checkpointing.Result.Refused(List<Problem> problems) -> new Material.Refused(podUid, problems);
        });
    }

    private Made make(ComponentName component, PodSummary pod, KubernetesVersion kubelet) {
        CheckpointMaker.Attempt checkpoint = maker.make(
                pod.object().orElseThrow(),
                kubelet,
                Optional.ofNullable(made.get(component)).map(Made::checkpoint));
        Made now = new Made(checkpoint, material(pod.pod().uid(), checkpoint));
        made.put(component, now);
        return now;
    }

    /** What that pod is made of, if it is known and whole. */
    synchronized Optional<Revised> running(ComponentName component) {
        return Optional.ofNullable(made.get(component))
                .flatMap(now -> now.checkpoint().complete());
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
