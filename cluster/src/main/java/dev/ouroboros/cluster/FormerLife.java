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
 * What the API still tells of a cluster's life before etcd was restored from a snapshot: pods that are ready, on machines that may be gone, with
 * Secrets that may have been replaced since; other control-plane nodes ({@link NodeRegistration#deleteFormer}); leaders that hold their Leases. No
 * controller corrects this at once, and none at all replaces an API server's pod, whose DaemonSet is updated on delete. So the control plane's pods
 * are deleted, for which their controllers make new ones, and Leases that nobody renews are released.
 *
 * <p>Once the former pods are deleted, no pod is taken for a former one, whatever its creation time: a wall clock that jumps back after the restore
 * gives pods of this life times from before it.
 */
public final class FormerLife {
    private static final ApiPath PODS = ApiPath.core("kube-system", "pods");

    private final Optional<Instant> restored;
    private volatile boolean hasPods;
    /** Pods that were deleted: a watch may tell of their deletion only later. */
    private final Set<String> deleted = ConcurrentHashMap.newKeySet();

    private FormerLife(Optional<Instant> restored, boolean hasPods) {
        this.restored = restored;
        this.hasPods = hasPods;
    }

    /** @param restored when etcd was restored; empty when it was not, and no pod is of a former life */
    public static FormerLife before(Optional<Instant> restored) {
        return new FormerLife(restored, restored.isPresent());
    }

    /** A former life whose pods an earlier call has deleted. */
    public static FormerLife withoutPods(Instant restored) {
        return new FormerLife(Optional.of(restored), false);
    }

    /** Whether an object is of the former life: it was created before the restore, while former pods are left, or is a pod that was deleted here. */
    public boolean includes(Json object) {
        return deleted.contains(Metadata.uid(object)) || (hasPods && isFromBefore(object));
    }

    private boolean isFromBefore(Json object) {
        return restored.isPresent() && createdAt(object).isBefore(restored.get());
    }

    /** When the API server created an object, in whole seconds; an object without that time was not created by it. */
    private static Instant createdAt(Json object) {
        return time(object.at("metadata", "creationTimestamp"))
                .map(created -> created.plusSeconds(1))
                .orElse(Instant.MAX);
    }

    /** Whether there was a former life. */
    public boolean was() {
        return restored.isPresent();
    }

    /**
     * Deletes the former pods without a grace period: no kubelet runs that could end them. Done again, it does nothing.
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
     * Releases the former leaders' Leases, so that new controllers can lead. Not before the workloads are applied: a controller makes a DaemonSet's
     * pod at once, and one that is updated on delete keeps the template that it was made from. Done again, it does nothing.
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

    /** The time of a field; empty also where it cannot be read. */
    private static Optional<Instant> time(Json value) {
        try {
            return value.text().map(Instant::parse);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
