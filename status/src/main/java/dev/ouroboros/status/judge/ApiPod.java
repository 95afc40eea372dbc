package dev.ouroboros.status.judge;

import dev.ouroboros.model.checkpoint.PodIdentity;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.PodTrouble;
import dev.ouroboros.model.manifest.ReadyCondition;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A pod that is not being deleted, as the API has it.
 *
 * @param component the one it belongs to; for a static pod, the pod's name without the node's
 * @param node empty when it is not placed on any
 * @param isStarting whether its kubelet has not said of any container of it that it was ever started. A kubelet of 1.20 may be a minute and a
 *     half late to say that a static pod without probes runs
 * @param runsForTheFirstTime whether every container of it runs, and none ran before
 * @param trouble why a container of it is not ready, in the kubelet's words; empty for nothing
 */
record ApiPod(
        ComponentName component,
        String node,
        String hostIp,
        boolean isStatic,
        boolean isCopy,
        boolean ready,
        boolean isStarting,
        boolean runsForTheFirstTime,
        String trouble,
        Json spec) {
    /** Why a container waits until it is started for the first time. */
    private static final Set<String> STARTING = Set.of("ContainerCreating", "PodInitializing");

    static boolean isBeingDeleted(Json pod) {
        return !pod.at("metadata", "deletionTimestamp").isNull();
    }

    static ApiPod of(Json pod) {
        PodIdentity identity = PodIdentity.of(pod);
        String node = pod.at("spec", "nodeName").text().orElse("");
        ComponentName name = identity.component();
        boolean isCopy = identity.isStatic()
                && (!pod.at("metadata", "labels", Understudy.LABEL).isNull() || RuntimeNames.isCopy(name.name()));
        return new ApiPod(
                identity.isStatic()
                        ? new ComponentName(name.namespace(), RuntimeNames.withoutNode(name.name(), node))
                        : name,
                node,
                pod.at("status", "hostIP").text().orElse(""),
                identity.isStatic(),
                isCopy,
                ReadyCondition.holds(pod),
                isStarting(pod),
                runsForTheFirstTime(pod),
                PodTrouble.of(pod).orElse(""),
                pod.at("spec"));
    }

    /** Whether a scheduler, or its controller, found a node for it. */
    boolean isPlaced() {
        return !node.isEmpty();
    }

    private static boolean runsForTheFirstTime(Json pod) {
        return pod.at("status", "containerStatuses").items().stream()
                .allMatch(container -> container.at("restartCount").integer().orElse(0) == 0
                        && !container.at("state", "running").isNull());
    }

    private static boolean isStarting(Json pod) {
        boolean waits = pod.at("status", "containerStatuses").items().stream()
                .allMatch(container -> STARTING.contains(
                        container.at("state", "waiting", "reason").text().orElse("")));
        // Its containers wait for one that initializes it, be it that this one crashes.
        return waits
                && PodTrouble.of(pod).filter(why -> !STARTING.contains(why)).isEmpty();
    }

    /** Names of the Secrets that its volumes are made from. */
    static List<String> secrets(Json spec) {
        return spec.at("volumes").items().stream()
                .flatMap(volume -> Stream.concat(
                        Stream.of(volume.at("secret", "secretName")),
                        volume.at("projected", "sources").items().stream().map(source -> source.at("secret", "name"))))
                .map(Json::text)
                .flatMap(Optional::stream)
                .toList();
    }
}
