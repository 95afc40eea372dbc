package dev.ouroboros.change.decide;

import dev.ouroboros.model.json.Json;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Pods that a DaemonSet made, and what is asked of them. */
final class DaemonSetPods {
    private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

    private DaemonSetPods() {}

    /** Those among all that it made and that have not ended. */
    static List<Json> of(Json daemonSet, List<Json> pods) {
        Optional<String> uid = daemonSet.at("metadata", "uid").text();
        return pods.stream()
                .filter(pod -> pod.at("metadata", "ownerReferences").items().stream()
                        .anyMatch(owner -> owner.at("uid").text().equals(uid)))
                .filter(pod -> !ENDED.contains(pod.at("status", "phase").text().orElse("")))
                .toList();
    }

    /** Whether it was told to end. */
    static boolean isEnding(Json pod) {
        return !pod.at("metadata", "deletionTimestamp").isNull();
    }
}
