package dev.ouroboros.cluster;

import dev.ouroboros.api.Api.Grace;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.LeaderLeases;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.leader.LeaderLease;
import dev.ouroboros.model.problem.ProblemException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the API tells of a cluster's former life, after etcd was restored from a snapshot: pods that are ready, on a machine that may be
 * gone, with Secrets that may be replaced since; other control-plane nodes ({@link NodeRegistration#deleteFormer}); leaders that hold their Leases. No controller corrects that at once, and the pod of an
 * API server, whose DaemonSet is updated on delete, none at all. So pods of the control plane are deleted, for which their controllers make
 * new ones, and Leases are released, which nobody renews.
 *
 * <p>Once its pods are deleted no pod is of it any more, whatever its time says: a wall clock that jumps back after the restore gives the
 * pods of this life times from before it.
 */
public final class FormerLife {
    private static final ApiPath PODS = ApiPath.core("kube-system", "pods");

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

    /** Whether an object, as a pod, was created before the restore, as far as such ones are left, or is a pod that was deleted. */
    public boolean includes(Json object) {
        return deleted.contains(Metadata.uid(object)) || (hasPods && isFromBefore(object));
    }

    private boolean isFromBefore(Json object) {
        return restored.isPresent() && createdAt(object).isBefore(restored.get());
    }

    /** The API server writes whole seconds; what it does not say it has not made. */
    private static Instant createdAt(Json object) {
        return time(object.at("metadata", "creationTimestamp"))
                .map(created -> created.plusSeconds(1))
                .orElse(Instant.MAX);
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
        client.changing("pods from before the restore", () -> {
            for (Json pod : client.api().get(PODS).at("items").items()) {
                if (isFromBefore(pod)) {
                    client.deleteIfThere(PODS.named(Metadata.name(pod)), Metadata.uid(pod), Grace.NONE);
                    deleted.add(Metadata.uid(pod));
                }
            }
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
        client.changing("Leases from before the restore", () -> {
            for (Json lease : client.api().get(LeaderLeases.ALL).at("items").items()) {
                if (isHeldSinceBefore(moment, lease)) {
                    client.api().update(LeaderLeases.ALL.named(Metadata.name(lease)), LeaderLease.released(lease));
                }
            }
        });
    }

    private static boolean isHeldSinceBefore(Instant moment, Json lease) {
        return time(lease.at("spec", "renewTime"))
                .filter(renewed -> renewed.isBefore(moment))
                .isPresent();
    }

    /** Empty also where it cannot be read. */
    private static Optional<Instant> time(Json value) {
        try {
            return value.text().map(Instant::parse);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
