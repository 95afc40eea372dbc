package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.checkpoint.Sanitizing.Sanitized;
import dev.ouroboros.model.checkpoint.StaticPodRule.Level;
import dev.ouroboros.model.checkpoint.StaticPodRule.Subject;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Makes checkpoints of pods for a node, whole or not at all. */
public final class Checkpointing {
    private final StaticPodRules rules;
    private final KubernetesVersion kubelet;

    /** @param kubelet version of the node's kubelet, which must run the understudy */
    public Checkpointing(StaticPodRules rules, KubernetesVersion kubelet) {
        this.rules = rules;
        this.kubelet = kubelet;
    }

    /** The outcome when the lookup of every object succeeded. */
    public sealed interface Result {
        /** All that the pod refers to was read, and this node's kubelet can run the understudy. */
        record Complete(Checkpoint checkpoint) implements Result {}

        /** The pod cannot be a static pod on this node, or a required object or key does not exist. Each problem names its field. */
        record Refused(List<Problem> problems) implements Result {
            public Refused {
                problems = List.copyOf(problems);
            }
        }
    }

    /**
     * The checkpoint of a pod.
     *
     * @param pod as the API server has it
     * @param lookup the object, or that it does not exist, or that this is not known; asked once for each of
     *     {@link References#toRead}
     * @return unknown when any object is unknown: half a checkpoint is none
     * @throws IllegalArgumentException when the pod has no namespace or name: then it came from no API server
     */
    public Evidence<Result> of(Json pod, Function<ApiObject, Evidence<Optional<Json>>> lookup) {
        PodIdentity identity = PodIdentity.of(pod);
        Map<ApiObject, Optional<Json>> objects = new LinkedHashMap<>();
        List<String> unknown = new ArrayList<>();
        for (ApiObject object : References.of(pod).toRead()) {
            switch (lookup.apply(object)) {
                case Evidence.Known<Optional<Json>>(Optional<Json> value) -> objects.put(object, value);
                case Evidence.Unknown<Optional<Json>>(String reason) -> unknown.add(object + ": " + reason);
            }
        }
        return unknown.isEmpty()
                ? Evidence.known(judge(pod, identity, objects))
                : Evidence.unknown(String.join("; ", unknown));
    }

    private Result judge(Json pod, PodIdentity identity, Map<ApiObject, Optional<Json>> objects) {
        List<Problem> problems = new ArrayList<>();
        for (StaticPodFinding finding : rules.judge(pod, Subject.PRINCIPAL, kubelet)) {
            if (finding.rule().level() == Level.REFUSED) {
                problems.add(finding.problem(kubelet));
            }
        }
        ReferencedObjects sources = new ReferencedObjects(identity.component().namespace(), objects);
        Sanitized sanitized = new Sanitizing(rules, pod, sources, kubelet).result();
        problems.addAll(sources.problems());
        if (!problems.isEmpty()) {
            return new Result.Refused(problems);
        }
        return new Result.Complete(
                new Checkpoint(identity.component(), identity.role(), sanitized.pod(), sanitized.files()));
    }
}
