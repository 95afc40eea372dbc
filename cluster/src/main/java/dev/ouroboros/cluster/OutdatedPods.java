package dev.ouroboros.cluster;

import dev.ouroboros.core.problem.ProblemException;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.Map;
import java.util.Optional;

/**
 * Which pods of a DaemonSet were made from another template than it asks for now. The API server counts a DaemonSet's templates in an
 * annotation, and its controller writes the count on each pod (deprecated since apps/v1, and kept by every version so far:
 * {@code apps.DeprecatedTemplateGeneration} and {@code extensions.DaemonSetTemplateGenerationKey}). A template that was taken back counts
 * as another one, though it is the same as before; a pod that has no count is not judged.
 */
public final class OutdatedPods {
    static final String ASKED_FOR = "deprecated.daemonset.template.generation";
    static final String MADE_FROM = "pod-template-generation";

    private OutdatedPods() {}

    /** Whether the pod is the set's own, is not being deleted already, and is of another template. */
    static boolean includes(DaemonSet set, Pod pod) {
        String asked = annotation(set);
        String made = label(pod);
        return isOwned(set, pod)
                && pod.getMetadata().getDeletionTimestamp() == null
                && !asked.isEmpty()
                && !made.isEmpty()
                && !made.equals(asked);
    }

    /**
     * Deletes them, with the time to end that each asks for. Done again, it does nothing.
     *
     * @param workload a DaemonSet; one that is not there has no pods
     * @throws ProblemException API_UNAVAILABLE when the server cannot be asked, API_REFUSED when it refuses
     */
    public static void delete(ClusterClient client, WorkloadReference workload) {
        client.asking("pods of " + workload.path(), () -> {
            DaemonSet set = client.api()
                    .apps()
                    .daemonSets()
                    .inNamespace(workload.namespace())
                    .withName(workload.name())
                    .get();
            if (set != null) {
                client
                        .api()
                        .pods()
                        .inNamespace(workload.namespace())
                        .withLabelSelector(set.getSpec().getSelector())
                        .list()
                        .getItems()
                        .stream()
                        .filter(pod -> includes(set, pod))
                        .forEach(pod -> client.api().resource(pod).delete());
            }
            return true;
        });
    }

    private static boolean isOwned(DaemonSet set, Pod pod) {
        return pod.getMetadata().getOwnerReferences().stream()
                .anyMatch(owner -> owner.getUid() != null
                        && owner.getUid().equals(set.getMetadata().getUid()));
    }

    private static String annotation(HasMetadata object) {
        return Optional.ofNullable(object.getMetadata().getAnnotations())
                .orElse(Map.of())
                .getOrDefault(ASKED_FOR, "");
    }

    private static String label(HasMetadata object) {
        return Optional.ofNullable(object.getMetadata().getLabels())
                .orElse(Map.of())
                .getOrDefault(MADE_FROM, "");
    }
}
