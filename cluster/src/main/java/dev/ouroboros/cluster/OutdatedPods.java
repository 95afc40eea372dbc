package dev.ouroboros.cluster;

import dev.ouroboros.core.problem.ProblemException;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Which pods of a DaemonSet were made from another template than it asks for now. Its controller keeps a ControllerRevision of each
 * template, of which the present one has the highest number, also when it is one of before, and writes the name of its hash on each pod
 * ({@code apps.DefaultDaemonSetUniqueLabelKey}). Until the controller has taken a new template up, no pod counts as outdated by it: so
 * there is somebody to make the next one.
 */
public final class OutdatedPods {
    static final String HASH = "controller-revision-hash";

    private OutdatedPods() {}

    /** The hash of the template that is asked for, as far as the controller has seen it. */
    static Optional<String> askedFor(DaemonSet set, Collection<ControllerRevision> revisions) {
        return revisions.stream()
                .filter(revision -> isOwned(set, revision))
                .max(Comparator.comparingLong(
                        revision -> Optional.ofNullable(revision.getRevision()).orElse(0L)))
                .flatMap(OutdatedPods::hash);
    }

    /**
     * Whether the pod is the set's own, on this node, is not being deleted already, and is of another template. One without a hash is
     * not judged.
     */
    static boolean includes(DaemonSet set, Optional<String> askedFor, String node, Pod pod) {
        return isOwned(set, pod)
                && pod.getMetadata().getDeletionTimestamp() == null
                && node.equals(pod.getSpec().getNodeName())
                && askedFor.isPresent()
                && hash(pod).filter(made -> !made.equals(askedFor.get())).isPresent();
    }

    /**
     * Deletes them, with the time to end that each asks for. Done again, it does nothing.
     *
     * @param workload a DaemonSet; one that is not there has no pods
     * @param node only pods of this one
     * @return the names of those it deleted
     * @throws ProblemException API_UNAVAILABLE when the server cannot be asked, API_REFUSED when it refuses
     */
    public static List<String> delete(ClusterClient client, WorkloadReference workload, String node) {
        return client.asking("pods of " + workload.path(), () -> {
            DaemonSet set = client.api()
                    .apps()
                    .daemonSets()
                    .inNamespace(workload.namespace())
                    .withName(workload.name())
                    .get();
            if (set == null) {
                return List.of();
            }
            // Pods first: one that is made meanwhile from a template of meanwhile is not among them.
            List<Pod> pods = client.api()
                    .pods()
                    .inNamespace(workload.namespace())
                    .withLabelSelector(set.getSpec().getSelector())
                    .list()
                    .getItems();
            Optional<String> askedFor = askedFor(
                    set,
                    client.api()
                            .apps()
                            .controllerRevisions()
                            .inNamespace(workload.namespace())
                            .withLabelSelector(set.getSpec().getSelector())
                            .list()
                            .getItems());
            List<Pod> outdated = pods.stream()
                    .filter(pod -> includes(set, askedFor, node, pod))
                    .toList();
            outdated.forEach(pod -> client.api().resource(pod).delete());
            return outdated.stream().map(pod -> pod.getMetadata().getName()).toList();
        });
    }

    private static boolean isOwned(DaemonSet set, HasMetadata object) {
        return object.getMetadata().getOwnerReferences().stream()
                .anyMatch(owner -> owner.getUid() != null
                        && owner.getUid().equals(set.getMetadata().getUid()));
    }

    private static Optional<String> hash(HasMetadata object) {
        return Optional.ofNullable(object.getMetadata().getLabels()).map(labels -> labels.get(HASH));
    }
}
