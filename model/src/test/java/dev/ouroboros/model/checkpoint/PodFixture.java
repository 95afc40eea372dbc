package dev.ouroboros.model.checkpoint;

import static dev.ouroboros.model.json.YamlFixture.yaml;

import dev.ouroboros.model.checkpoint.Checkpointing.Result;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.version.KubernetesVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Pods, and a small world of objects for them. */
final class PodFixture {
    static final KubernetesVersion OLD = new KubernetesVersion(1, 20, 2, "");
    static final KubernetesVersion NEW = new KubernetesVersion(1, 36, 3, "");
    static final StaticPodRules RULES = StaticPodRules.load();

    private final Map<ApiObject, Optional<Json>> objects = new TreeMap<>();
    private final List<ApiObject> asked = new ArrayList<>();

    /** A pod of kube-system with one container and these lines below its spec. */
    static Json pod(String spec) {
        return yaml("""
                apiVersion: v1
                kind: Pod
                metadata: {name: web-x7k2p, namespace: kube-system, uid: u1}
                spec:
                """ + spec.indent(2));
    }

    PodFixture secret(String name, String... keysAndValues) {
        TreeMap<String, Json> data = new TreeMap<>();
        for (int at = 0; at < keysAndValues.length; at += 2) {
            data.put(keysAndValues[at], Json.text(base64(keysAndValues[at + 1])));
        }
        return with(ApiObject.Kind.SECRET, name, Json.object().with("data", new Json.Fields(data)));
    }

    PodFixture configMap(String name, String... keysAndValues) {
        TreeMap<String, Json> data = new TreeMap<>();
        for (int at = 0; at < keysAndValues.length; at += 2) {
            data.put(keysAndValues[at], Json.text(keysAndValues[at + 1]));
        }
        return with(ApiObject.Kind.CONFIG_MAP, name, Json.object().with("data", new Json.Fields(data)));
    }

    PodFixture with(ApiObject.Kind kind, String name, Json object) {
        objects.put(new ApiObject(kind, "kube-system", name), Optional.of(object));
        return this;
    }

    static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    Evidence<Optional<Json>> lookup(ApiObject object) {
        asked.add(object);
        return Evidence.known(objects.getOrDefault(object, Optional.empty()));
    }

    List<ApiObject> asked() {
        return List.copyOf(asked);
    }

    Result result(Json pod, KubernetesVersion kubelet) {
        return switch (new Checkpointing(RULES, kubelet).of(pod, this::lookup)) {
            case Evidence.Known<Result>(Result result) -> result;
            case Evidence.Unknown<Result>(String reason) -> throw new AssertionError("unknown: " + reason);
        };
    }

    Checkpoint saved(Json pod) {
        return saved(pod, NEW);
    }

    Checkpoint saved(Json pod, KubernetesVersion kubelet) {
        return switch (result(pod, kubelet)) {
            case Result.Complete(Checkpoint checkpoint) -> checkpoint;
            case Result.Refused(List<Problem> problems) -> throw new AssertionError("refused: " + problems);
        };
    }

    /** The fields that problems name. */
    List<String> refused(Json pod) {
        return refused(pod, NEW);
    }

    List<String> refused(Json pod, KubernetesVersion kubelet) {
        return switch (result(pod, kubelet)) {
            case Result.Complete complete -> throw new AssertionError("not refused: " + complete);
            case Result.Refused(List<Problem> problems) ->
                problems.stream().map(Problem::where).toList();
        };
    }

    static String text(SavedFile file) {
        return new String(file.content().bytes(), StandardCharsets.UTF_8);
    }
}
