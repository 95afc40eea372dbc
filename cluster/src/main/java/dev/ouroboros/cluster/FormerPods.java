package dev.ouroboros.cluster;

import dev.ouroboros.core.problem.ProblemException;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/**
 * Pods of a cluster's former life. After etcd was restored from a snapshot, the API tells of pods that ran when it was taken: that they
 * are ready, on a machine that may be gone, with Secrets that may be replaced since. No controller corrects that at once, and an API
 * server's never, whose DaemonSet is updated on delete: so those of the control plane are deleted, and their controllers make new ones.
 */
public final class FormerPods {
    private static final String CONTROL_PLANE_NAMESPACE = "kube-system";

    private final Optional<Instant> restored;

    private FormerPods(Optional<Instant> restored) {
        this.restored = restored;
    }

    /** @param restored when etcd was restored; empty when it was not, and no pod is of a former life */
    public static FormerPods before(Optional<Instant> restored) {
        return new FormerPods(restored);
    }

    /** Whether the pod was created before the restore. */
    public boolean includes(Pod pod) {
        return restored.isPresent() && createdAt(pod).isBefore(restored.get());
    }

    /** The API server writes whole seconds; what it does not say it has not made. */
    private static Instant createdAt(Pod pod) {
        try {
            String created = pod.getMetadata().getCreationTimestamp();
            return created == null ? Instant.MAX : Instant.parse(created).plusSeconds(1);
        } catch (DateTimeException e) {
            return Instant.MAX;
        }
    }

    /**
     * Deletes those of the control plane, at once: no kubelet runs them that could end them in peace. Done again, it does nothing.
     *
     * @throws ProblemException API_UNAVAILABLE when the server cannot be asked
     */
    public void delete(ClusterClient client) {
        if (restored.isEmpty()) {
            return;
        }
        client.asking("pods from before the restore", () -> {
            for (Pod pod : client.api()
                    .pods()
                    .inNamespace(CONTROL_PLANE_NAMESPACE)
                    .list()
                    .getItems()) {
                if (includes(pod)) {
                    client.api().resource(pod).withGracePeriod(0).delete();
                }
            }
            return true;
        });
    }
}
