package dev.ouroboros.change.decide;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentContainer;
import dev.ouroboros.model.json.Json;
import java.util.Optional;

/**
 * A pod that has to leave a node that is drained.
 *
 * @param isEnding whether it was told
 */
public record DrainedPod(String namespace, String name, String uid, boolean isEnding) {
    private static final String MIRROR = "kubernetes.io/config.mirror";
    private static final String PHASE_SUCCEEDED = "Succeeded";
    private static final String PHASE_FAILED = "Failed";

    /**
     * Reads a pod.
     *
     * @return empty for one that stays: whose DaemonSet would make it anew there, which is the node's own (static), which has ended, which nobody would make anew elsewhere, or which the
     *     keeper watches over
     */
    public static Optional<DrainedPod> of(Json pod) {
        String phase = pod.at("status", "phase").text().orElse("");
        Optional<String> controller = pod.at("metadata", "ownerReferences").items().stream()
                .filter(owner -> owner.at("controller").isTrue())
                .flatMap(owner -> owner.at("kind").text().stream())
                .findFirst();
        boolean stays = controller.isEmpty()
                || controller.get().equals("DaemonSet")
                || controller.get().equals("Node")
                || pod.at("metadata", "annotations", MIRROR).text().isPresent()
                || phase.equals(PHASE_SUCCEEDED)
                || phase.equals(PHASE_FAILED)
                || isKept(pod);
        return stays
                ? Optional.empty()
                : Optional.of(new DrainedPod(
                        pod.at("metadata", "namespace").text().orElse(""),
                        pod.at("metadata", "name").text().orElse(""),
                        pod.at("metadata", "uid").text().orElse(""),
                        pod.at("metadata", "deletionTimestamp").text().isPresent()));
    }

    private static boolean isKept(Json pod) {
        return Component.WITH_UNDERSTUDY.stream()
                .anyMatch(component ->
                        ComponentContainer.in(pod.at("spec"), component).isPresent());
    }

    /** As in {@code default/web-0}. */
    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
