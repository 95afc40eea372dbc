package dev.ouroboros.keeper.observe;

import dev.ouroboros.core.checkpoint.PodIdentity;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.keeper.Role;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A DaemonSet or Deployment, as far as it says whether its pods belong on this node.
 *
 * @param asks whether its pods ask for a checkpoint
 * @param nodeSelector labels that its pods ask of a node
 * @param replicas that are wanted in all; of a DaemonSet one a node
 * @param settledReplicas that are available and of the newest template, when it says that it has seen that template
 * @param ready replicas that are ready
 */
record ControllerSeen(
        boolean asks,
        Role role,
        Map<String, String> nodeSelector,
        long replicas,
        Optional<Long> settledReplicas,
        long ready) {
    ControllerSeen {
        nodeSelector = Map.copyOf(nodeSelector);
    }

    static ControllerSeen daemonSet(Json object) {
        return of(
                object,
                object.at("status", "desiredNumberScheduled").integer().orElse(0),
                object.at("status", "numberAvailable").integer().orElse(0),
                object.at("status", "numberReady").integer().orElse(0));
    }

    static ControllerSeen deployment(Json object) {
        long updated = object.at("status", "updatedReplicas").integer().orElse(0);
        long available = object.at("status", "availableReplicas").integer().orElse(0);
        return of(
                object,
                object.at("spec", "replicas").integer().orElse(1),
                Math.min(updated, available),
                object.at("status", "readyReplicas").integer().orElse(0));
    }

    private static ControllerSeen of(Json object, long replicas, long settled, long ready) {
        PodIdentity pods = PodIdentity.of(podOf(object));
        Map<String, String> selector = new TreeMap<>();
        object.at("spec", "template", "spec", "nodeSelector")
                .fields()
                .forEach((key, value) -> selector.put(key, value.text().orElse("")));
        boolean seen = object.at("status", "observedGeneration")
                .integer()
                .equals(object.at("metadata", "generation").integer());
        return new ControllerSeen(
                pods.asks(), pods.role(), selector, replicas, seen ? Optional.of(settled) : Optional.empty(), ready);
    }

    /** The template as the pod that would be made of it. */
    private static Json podOf(Json controller) {
        Json template = controller.at("spec", "template");
        Json.Fields metadata = template.at("metadata") instanceof Json.Fields fields ? fields : Json.object();
        return Json.object()
                .with(
                        "metadata",
                        metadata.with("name", controller.at("metadata", "name"))
                                .with("namespace", controller.at("metadata", "namespace")))
                .with("spec", template.at("spec"));
    }
}
