package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.checkpoint.PodFields.Part;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Makes a pod independent of the API: what the API server, admission and controllers added is dropped, what the kubelet would read
 * becomes files or literal variables. What is left names no API object; it changes when, and only when, what the pod runs changes.
 */
final class Sanitizing {
    private final StaticPodRules rules;
    private final Json pod;
    private final VolumeSaver volumes;
    private final EnvironmentInliner environments;

    Sanitizing(StaticPodRules rules, Json pod, ReferencedObjects sources, KubernetesVersion kubelet) {
        this.rules = rules;
        this.pod = pod;
        this.volumes = new VolumeSaver(sources, pod);
        this.environments = new EnvironmentInliner(sources, pod, kubelet);
    }

    /** @param pod the manifest */
    record Sanitized(Json.Fields pod, List<SavedFile> files) {}

    Sanitized result() {
        Json.Fields sanitized = Json.object()
                .with("apiVersion", Json.text("v1"))
                .with("kind", Json.text("Pod"))
                .with("metadata", metadata())
                .with("spec", spec());
        return new Sanitized(sanitized, volumes.files());
    }

    private Json.Fields metadata() {
        Json.Fields metadata = Json.object().with("namespace", pod.at("metadata", "namespace"));
        PodFields known = rules.fieldsOf(Part.ANNOTATION);
        Map<String, Json> annotations =
                new TreeMap<>(pod.at("metadata", "annotations").fields());
        annotations.keySet().removeIf(key -> !known.keepsKey(key));
        return annotations.isEmpty() ? metadata : metadata.with("annotations", new Json.Fields(annotations));
    }

    private Json.Fields spec() {
        LocatedJson spec = LocatedJson.root(pod).at("spec");
        Json.Fields kept = keep(spec.value(), Part.POD);
        for (String kind : List.of("initContainers", "containers")) {
            kept = replace(kept, kind, spec.each(kind).map(this::container).toList());
        }
        return replace(
                kept,
                "volumes",
                LocatedJson.volumesOf(pod).stream().map(volumes::saved).toList());
    }

    private Json container(LocatedJson container) {
        Json.Fields kept = keep(container.value(), Part.CONTAINER);
        return replace(
                kept,
                "env",
                container.value() instanceof Json.Fields
                        ? environments.inlined(container).values()
                        : List.of());
    }

    private static Json.Fields replace(Json.Fields fields, String name, List<Json> values) {
        return values.isEmpty() ? fields.without(name) : fields.with(name, new Json.Items(new ArrayList<>(values)));
    }

    private Json.Fields keep(Json value, Part part) {
        PodFields known = rules.fieldsOf(part);
        Map<String, Json> kept = new TreeMap<>(value.fields());
        kept.entrySet()
                .removeIf(field -> !known.kept().contains(field.getKey())
                        || field.getValue().isNull());
        return new Json.Fields(kept);
    }
}
