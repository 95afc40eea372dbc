package dev.ouroboros.keeper.observe;

import dev.ouroboros.keeper.template.Template;
import dev.ouroboros.model.checkpoint.PodIdentity;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A DaemonSet, or what keeps a number of replicas, as far as it says whether its pods belong on this node.
 *
 * @param onEachNode whether it wants a pod on each node that it selects
 * @param interchangeable whether each of its pods can take the place of any other, on whichever node
 * @param asks whether its pods ask for a checkpoint
 * @param nodeSelector labels that its pods ask of a node
 * @param podSelector labels of its pods, as a request asks for them
 * @param replicas that are wanted in all; of a DaemonSet one a node
 * @param ready replicas that are ready
 * @param updated pods that are made from its present template, of a DaemonSet
 * @param current whether its status is of its present generation; not so while no controller manager works
 * @param object all that is asked for, of the API server's DaemonSet only
 */
record ControllerSeen(
        boolean onEachNode,
        boolean interchangeable,
        boolean asks,
        Role role,
        Map<String, String> nodeSelector,
        String podSelector,
        long replicas,
        long ready,
        long updated,
        boolean current,
        Optional<Json.Fields> object) {
    ControllerSeen {
        nodeSelector = Map.copyOf(nodeSelector);
    }

    static ControllerSeen daemonSet(Json object) {
        return of(
                object,
                true,
                false,
                object.at("status", "desiredNumberScheduled").integer().orElse(0),
                object.at("status", "numberReady").integer().orElse(0));
    }

    /** A Deployment or ReplicaSet. */
    static ControllerSeen replicas(Json object) {
        return replicas(object, true);
    }

    /** Each of its pods is a member of its own. */
    static ControllerSeen statefulSet(Json object) {
        return replicas(object, false);
    }

    private static ControllerSeen replicas(Json object, boolean interchangeable) {
        return of(
                object,
                false,
                interchangeable,
                object.at("spec", "replicas").integer().orElse(1),
                object.at("status", "readyReplicas").integer().orElse(0));
    }

    private static ControllerSeen of(
            Json object, boolean onEachNode, boolean interchangeable, long replicas, long ready) {
        PodIdentity pods = PodIdentity.of(Template.podOf(object));
        Map<String, String> selector = new TreeMap<>();
        object.at("spec", "template", "spec", "nodeSelector")
                .fields()
                .forEach((key, value) -> selector.put(key, value.text().orElse("")));
        Optional<Json.Fields> kept =
                onEachNode && pods.role() == Role.API_SERVER && object instanceof Json.Fields fields
                        ? Optional.of(slim(fields))
                        : Optional.empty();
        return new ControllerSeen(
                onEachNode,
                interchangeable,
                pods.asks(),
                pods.role(),
                selector,
                podSelector(object),
                replicas,
                ready,
                object.at("status", "updatedNumberScheduled").integer().orElse(0),
                isCurrent(object),
                kept);
    }

    /** The labels by which a controller finds its pods, as the parameter {@code labelSelector} of a request; expressions are left out. */
    static String podSelector(Json controller) {
        return controller.at("spec", "selector", "matchLabels").fields().entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue().text().orElse(""))
                .collect(Collectors.joining(","));
    }

    private static boolean isCurrent(Json object) {
        long asked = object.at("metadata", "generation").integer().orElse(0);
        return object.at("status", "observedGeneration").integer().orElse(0) >= asked;
    }

    /** Whether the controller manager is known to have seen its present generation, and a replica is ready somewhere. */
    boolean isKnownToServe() {
        return current && ready > 0;
    }

    /**
     * Replicas that are ready and wanted. A status of the present generation may still count pods that go: whoever scaled it down may have
     * scaled the controller manager down as well, which then never counts again.
     */
    long readyAndWanted() {
        return Math.min(ready, replicas);
    }

    /** Whether pods of it, on whichever node, may be of another template than the present one. */
    boolean hasOutdatedPods() {
        return !current || updated < replicas;
    }

    /** Whether people want no pod of it anywhere. */
    boolean isSwitchedOff() {
        return asks && !onEachNode && replicas == 0;
    }

    /** Without fields that change while what is asked for stays the same. */
    private static Json.Fields slim(Json.Fields set) {
        Json.Fields without = set.without("status");
        return without.at("metadata") instanceof Json.Fields metadata
                ? without.with("metadata", metadata.without("managedFields").without("resourceVersion"))
                : without;
    }
}
