package dev.ouroboros.status.source;

import dev.ouroboros.model.checkpoint.PodIdentity;
import dev.ouroboros.model.json.Json;
import java.util.List;
import java.util.Set;

/**
 * Which controllers outside of kube-system belong to the cluster itself: those whose pods are critical to it by their priority class
 * (Kubernetes' "Guaranteed Scheduling For Critical Add-On Pods"), and those that ask for a checkpoint.
 */
final class AddOns {
    private static final Set<String> CRITICAL = Set.of("system-cluster-critical", "system-node-critical");

    private AddOns() {}

    static List<Json> among(List<Json> controllers) {
        return controllers.stream().filter(AddOns::isOne).toList();
    }

    private static boolean isOne(Json controller) {
        Json template = controller.at("spec", "template");
        return CRITICAL.contains(template.at("spec", "priorityClassName").text().orElse(""))
                || PodIdentity.asks(template.at("metadata", "annotations"));
    }
}
