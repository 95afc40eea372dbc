package dev.ouroboros.keeper.observe;

import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Checkpointing;
import dev.ouroboros.model.checkpoint.References;
import dev.ouroboros.model.checkpoint.StaticPodRules;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Makes checkpoints of pods, each anew only when the pod or something that it refers to changed: a checkpoint and its revision cost a
 * digest of all files each.
 */
final class CheckpointMaker {
    private final StaticPodRules rules;
    private final Function<ApiObject, Evidence<Optional<Json>>> lookup;

    /** What a checkpoint is made of. */
    private record Inputs(Json pod, KubernetesVersion kubelet, Map<ApiObject, Evidence<Optional<Json>>> objects) {}

    /**
     * What came of a pod.
     *
     * @param complete the checkpoint, when it could be made
     */
    record Attempt(Inputs inputs, Evidence<Checkpointing.Result> result, Optional<Revised> complete) {}

    CheckpointMaker(StaticPodRules rules, Function<ApiObject, Evidence<Optional<Json>>> lookup) {
        this.rules = rules;
        this.lookup = lookup;
    }

    /**
     * The checkpoint of a pod.
     *
     * @param before what came of it last, or of another one in its place; the same object comes back while nothing changed
     */
    Attempt make(Json pod, KubernetesVersion kubelet, Optional<Attempt> before) {
        Optional<Inputs> last =
                before.map(Attempt::inputs).filter(inputs -> inputs.pod().equals(pod));
        if (last.isPresent()
                && last.get().kubelet().equals(kubelet)
                && areAsBefore(last.get().objects())) {
            return before.orElseThrow();
        }
        Set<ApiObject> references = last.map(inputs -> inputs.objects().keySet())
                .orElseGet(() -> Set.copyOf(References.of(pod).toRead()));
        Map<ApiObject, Evidence<Optional<Json>>> objects = new HashMap<>();
        references.forEach(reference -> objects.put(reference, lookup.apply(reference)));
        Evidence<Checkpointing.Result> result = new Checkpointing(rules, kubelet)
                .of(pod, reference -> objects.getOrDefault(reference, Evidence.unknown(reference + ": not read yet")));
        return new Attempt(new Inputs(pod, kubelet, objects), result, complete(result));
    }

    private boolean areAsBefore(Map<ApiObject, Evidence<Optional<Json>>> objects) {
        return objects.entrySet().stream()
                .allMatch(object -> lookup.apply(object.getKey()).equals(object.getValue()));
    }

    private static Optional<Revised> complete(Evidence<Checkpointing.Result> result) {
        return result
                        instanceof
                        Evidence.Known<Checkpointing.Result>(Checkpointing.Result.Complete(Checkpoint checkpoint))
                ? Optional.of(Revised.of(checkpoint))
                : Optional.empty();
    }
}
