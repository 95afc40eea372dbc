package dev.ouroboros.cluster;

import dev.ouroboros.core.problem.ProblemException;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the API tells of a cluster's former life, after etcd was restored from a snapshot: pods that are ready, on a machine that may be
 * gone, with Secrets that may be replaced since; leaders that hold their Leases. No controller corrects that at once, and the pod of an
 * API server, whose DaemonSet is updated on delete, none at all. So pods of the control plane are deleted, for which their controllers make
 * new ones, and Leases are released, which nobody renews.
 *
 * <p>Once its pods are deleted no pod is of it any more, whatever its time says: a wall clock that jumps back after the restore gives the
 * pods of this life times from before it.
 */
public final class FormerLife {
    private static final String CONTROL_PLANE_NAMESPACE = "kube-system";

    private final Optional<Instant> restored;
    private volatile boolean hasPods;
    /** A watch may tell of their deletion later than we go on. */
    private final Set<String> deleted = ConcurrentHashMap.newKeySet();

    private FormerLife(Optional<Instant> restored, boolean hasPods) {
        this.restored = restored;
        this.hasPods = hasPods;
    }

    /** @param restored when etcd was restored; empty when it was not, and no pod is of a former life */
    public static FormerLife before(Optional<Instant> restored) {
        return new FormerLife(restored, restored.isPresent());
    }

    /** One whose pods were deleted, by an earlier call. */
    public static FormerLife withoutPods(Instant restored) {
        return new FormerLife(Optional.of(restored), false);
    }

    /** Whether the pod was created before the restore, as far as such pods are left, or is one that was deleted. */
    public boolean includes(Pod pod) {
        return deleted.contains(uid(pod)) || (hasPods && isFromBefore(pod));
    }

    private boolean isFromBefore(Pod pod) {
        return restored.isPresent() && createdAt(pod).isBefore(restored.get());
    }

    private static String uid(Pod pod) {
        return Optional.ofNullable(pod.getMetadata().getUid()).orElse("");
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

    /** Whether there was one. */
    public boolean was() {
        return restored.isPresent();
    }

    /**
     * Deletes its pods, at once, as no kubelet runs them that could end them in peace. Done again, it does nothing.
     *
     * @throws ProblemException API_UNAVAILABLE when the server cannot be asked
     */
    public void deletePods(ClusterClient client) {
        if (!hasPods) {
            return;
        }
        client.asking("pods from before the restore", () -> {
            for (Pod pod : client.api()
                    .pods()
                    .inNamespace(CONTROL_PLANE_NAMESPACE)
                    .list()
                    .getItems()) {
                if (isFromBefore(pod)) {
                    client.api().resource(pod).withGracePeriod(0).delete();
                    deleted.add(uid(pod));
                }
            }
            return true;
        });
        hasPods = false;
    }

    /**
     * Lets the new controllers lead. Not before the workloads are what they should be: a controller makes a pod of a DaemonSet at once, and
     * one that is updated on delete keeps what its pod was made from. Done again, it does nothing.
     *
     * @throws ProblemException API_UNAVAILABLE when the server cannot be asked
     */
    public void releaseLeases(ClusterClient client) {
        if (restored.isEmpty()) {
            return;
        }
        Instant moment = restored.get();
        client.asking("Leases from before the restore", () -> {
            for (Lease lease : client.api()
                    .leases()
                    .inNamespace(CONTROL_PLANE_NAMESPACE)
                    .list()
                    .getItems()) {
                if (isHeldSinceBefore(moment, lease)) {
                    client.api().resource(lease).edit(FormerLife::released);
                }
            }
            return true;
        });
    }

    private static boolean isHeldSinceBefore(Instant moment, Lease lease) {
        LeaseSpec spec = lease.getSpec();
        return spec != null
                && spec.getRenewTime() != null
                && spec.getRenewTime().toInstant().isBefore(moment);
    }

    /** An empty holder is taken for none; a candidate waits for the end of any other from when it first saw it. */
    private static Lease released(Lease lease) {
        return new LeaseBuilder(lease)
                .editSpec()
                .withHolderIdentity("")
                .withLeaseDurationSeconds(1)
                .endSpec()
                .build();
    }
}
