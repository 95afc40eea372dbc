package dev.ouroboros.upgrade.apply;

import dev.ouroboros.cluster.ClusterWriter.Outcome;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.upgrade.decide.ImagePod;
import dev.ouroboros.upgrade.decide.ImagePod.Progress;
import dev.ouroboros.upgrade.decide.ObjectName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Has every node that runs pods of a workload pull the images of the new pods while the old pods run, and every node of the control plane that
 * may run them next: a leader's pod comes to another node of a sudden. After an interruption, the next run finds the pulling pods by their names.
 */
public final class ImagePulls {
    /** Of the control plane's roles; every other node has labels too, and may be one of thousands. */
    private static final String NODE_ROLE = "node-role.kubernetes.io/";

    private final ApplyApi api;
    private final ProcedureListener listener;
    private final Patience patience;

    public ImagePulls(ApplyApi api, ProcedureListener listener, Patience patience) {
        this.api = api;
        this.listener = listener;
        this.patience = patience;
    }

    /** @throws ProblemException COMPONENT_FAILED when an image cannot be pulled; nothing else was changed */
    public void run(NamedManifests target) {
        Map<Json.Fields, String> pods = new LinkedHashMap<>();
        for (ObjectName name : target.objects().keySet()) {
            if (ObjectName.WORKLOADS.contains(name.kind())) {
                pods.putAll(patience.asking(() -> wanted(name, target)));
            }
        }
        if (pods.isEmpty()) {
            listener.did("every node runs the images already that it will need");
            return;
        }
        try {
            pods.forEach((pod, node) -> {
                patience.asking(() -> api.create(pod));
                listener.did("node " + node + " pulls " + String.join(", ", images(pod)));
            });
            pods.forEach(this::await);
        } finally {
            pods.keySet().forEach(pod -> patience.asking(() -> remove(pod)));
        }
        listener.did("all images are on their nodes");
    }

    /** The pods that pull the images a workload's nodes do not run yet, each with its node. */
    private Map<Json.Fields, String> wanted(ObjectName workload, NamedManifests target) {
        Json object = target.get(workload);
        Map<String, String> labels = labels(object.at("spec", "selector", "matchLabels"));
        Map<String, Set<String>> running = new TreeMap<>();
        Map<String, String> selector = labels(object.at("spec", "template", "spec", "nodeSelector"));
        if (selector.keySet().stream().anyMatch(label -> label.startsWith(NODE_ROLE))) {
            api.nodes(selector).forEach(node -> running.put(node, new TreeSet<>()));
        }
        for (Json pod : api.pods(workload.namespace(), labels)) {
            pod.at("spec", "nodeName")
                    .text()
                    .ifPresent(node -> running.computeIfAbsent(node, _ -> new TreeSet<>())
                            .addAll(NamedManifests.imagesOf(pod.at("spec"))));
        }
        Map<Json.Fields, String> pods = new LinkedHashMap<>();
        running.forEach((node, present) -> {
            List<String> missing = target.images(workload).stream()
                    .filter(image -> !present.contains(image))
                    .distinct()
                    .toList();
            if (!missing.isEmpty()) {
                pods.put(ImagePod.of(workload, object.at("spec", "template"), node, missing), node);
            }
        });
        return pods;
    }

    private static Map<String, String> labels(Json selector) {
        Map<String, String> labels = new TreeMap<>();
        selector.fields()
                .forEach((label, value) -> labels.put(label, value.text().orElse("")));
        return labels;
    }

    private void await(Json.Fields pod, String node) {
        while (true) {
            Optional<Json> seen = patience.asking(() -> api.read(pod));
            switch (seen.map(ImagePod::progress).orElse(new Progress.Failed("its pod was deleted"))) {
                case Progress.Done() -> {
                    patience.did();
                    return;
                }
                case Progress.Pulling(String why) -> patience.waits("node " + node + " to pull " + why);
                case Progress.Failed(String why) ->
                    throw ProblemException.of(
                            ErrorCode.COMPONENT_FAILED,
                            "node " + node,
                            "cannot pull an image: " + why,
                            "images that every node can pull",
                            "nothing was changed but the asset directory's own records; mend the name of the image in the Cluster document, or"
                                    + " the registry, and run the same command again");
            }
        }
    }

    private boolean remove(Json.Fields pod) {
        return api.read(pod)
                .map(known -> api.delete(known) instanceof Outcome.Written)
                .orElse(true);
    }

    private static List<String> images(Json pod) {
        return NamedManifests.imagesOf(pod.at("spec"));
    }
}
