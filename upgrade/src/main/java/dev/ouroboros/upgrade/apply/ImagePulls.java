package dev.ouroboros.upgrade.apply;

import dev.ouroboros.cluster.ClusterWriter.Outcome;
import dev.ouroboros.cluster.Metadata;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentContainer;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.upgrade.decide.ImagePod;
import dev.ouroboros.upgrade.decide.ImagePod.Progress;
import dev.ouroboros.upgrade.decide.ObjectName;
import dev.ouroboros.upgrade.decide.RoleMove;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Has every node that is ready and runs pods of a workload pull the images of the new pods while the old pods run; where the image of a leader changes, every
 * node of the control plane too: the new pod comes to any of them. After an interruption, the next run finds the pulling pods by their names.
 */
public final class ImagePulls {
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
        Map<Json.Fields, String> pulling = new LinkedHashMap<>();
        try {
            pods.forEach((pod, node) -> {
                if (begin(pod, node)) {
                    pulling.put(pod, node);
                }
            });
            pulling.forEach(this::await);
        } finally {
            pods.keySet().forEach(pod -> patience.asking(() -> remove(pod)));
        }
        if (pulling.size() == pods.size()) {
            listener.did("all images are on their nodes");
        }
    }

    /** Whether the pod is there. A Namespace that the target brings comes later, and nothing can be pulled in it before. */
    private boolean begin(Json.Fields pod, String node) {
        boolean isThere = !(patience.asking(() -> api.create(pod)) instanceof Outcome.Gone);
        String images = String.join(", ", images(pod));
        listener.did(
                isThere
                        ? "node " + node + " pulls " + images
                        : "node " + node + " pulls " + images + " later: the namespace "
                                + ObjectName.of(pod).namespace() + " is new");
        return isThere;
    }

    /** The pods that pull the images a workload's nodes do not run yet, each with its node. */
    private Map<Json.Fields, String> wanted(ObjectName workload, NamedManifests target) {
        Json object = target.get(workload);
        Json live = api.read(object).orElse(Json.absent());
        Map<String, String> labels = Metadata.texts(object.at("spec", "selector", "matchLabels"));
        Map<String, Set<String>> running = new TreeMap<>();
        if (isOfALeader(object) || live.isNull()) {
            running.putAll(nextNodes(live, object, target.images(workload)));
        }
        for (Json pod : api.pods(workload.namespace(), labels)) {
            pod.at("spec", "nodeName")
                    .text()
                    .ifPresent(node -> running.computeIfAbsent(node, _ -> new TreeSet<>())
                            .addAll(NamedManifests.imagesOf(pod.at("spec"))));
        }
        running.keySet()
                .retainAll(api.nodes(Map.of()).stream().map(Metadata::name).toList());
        Map<Json.Fields, String> pods = new LinkedHashMap<>();
        running.forEach((node, present) -> {
            List<String> missing = target.images(workload).stream()
                    .filter(image -> !present.contains(image))
                    .distinct()
                    .toList();
            if (!missing.isEmpty()) {
                pods.put(
                        ImagePod.of(
                                workload, live.at("spec", "template"), object.at("spec", "template"), node, missing),
                        node);
            }
        });
        return pods;
    }

    /**
     * Nodes that the pods of a leader, or of a workload that is new, may come to, each with the images that it tells of; only where an image changes: another one than the present
     * one need not be everywhere. An upgrade that moves roles gives the new ones after this.
     */
    private Map<String, Set<String>> nextNodes(Json live, Json wanted, List<String> images) {
        if (NamedManifests.imagesOf(live.at("spec", "template", "spec")).containsAll(images)) {
            return Map.of();
        }
        Json asking = RoleMove.between(live, wanted).isPresent() ? live : wanted;
        Map<String, String> roles = Metadata.texts(asking.at("spec", "template", "spec", "nodeSelector"));
        roles.keySet().retainAll(VersionFacts.nodeRoles());
        Map<String, Set<String>> nodes = new TreeMap<>();
        if (!roles.isEmpty()) {
            api.nodes(roles).forEach(node -> nodes.put(Metadata.name(node), imagesOn(node)));
        }
        return nodes;
    }

    private static boolean isOfALeader(Json workload) {
        return Stream.of(Component.CONTROLLER_MANAGER, Component.SCHEDULER)
                .anyMatch(component -> ComponentContainer.in(workload.at("spec", "template", "spec"), component)
                        .isPresent());
    }

    private static Set<String> imagesOn(Json node) {
        Set<String> images = new TreeSet<>();
        for (Json image : node.at("status", "images").items()) {
            image.at("names").items().forEach(name -> name.text().ifPresent(images::add));
        }
        return images;
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
