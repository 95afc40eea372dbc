package dev.ouroboros.upgrade.decide;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.version.KubernetesVersion;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What was seen of a cluster. Each list is complete or unknown.
 *
 * @param at time of the reading
 * @param server what the API server that answered says of its version
 * @param workloads DaemonSets and Deployments of kube-system
 * @param pods of kube-system
 * @param disruptionBudgets of all namespaces
 * @param definitions of custom resources
 * @param requests by whose clients they are of (those of one API server, where there are several): of API versions that are deprecated, since the API
 *     server's start
 * @param summaries by node: what the kubelets of control-plane nodes say of memory and disk
 * @param etcd its version
 * @param certificates of the asset directory and of kubelets
 * @param stored what a snapshot holds
 */
public record ClusterSeen(
        Instant at,
        Evidence<KubernetesVersion> server,
        Evidence<List<Json>> nodes,
        Evidence<List<Manifest>> workloads,
        Evidence<List<Json>> pods,
        Evidence<List<Json>> disruptionBudgets,
        Evidence<List<Json>> definitions,
        Map<String, Evidence<List<DeprecatedRequest>>> requests,
        Map<String, Evidence<Json>> summaries,
        Evidence<KubernetesVersion> etcd,
        Evidence<List<Expiry>> certificates,
        Evidence<List<Stored>> stored) {
    /**
     * An entry of the API server's gauge {@code apiserver_requested_deprecated_apis}.
     *
     * @param verbs of these requests, by {@code apiserver_request_total}; empty when that has none
     */
    public record DeprecatedRequest(
            String group, String version, String resource, String removedRelease, Set<String> verbs) {
        /**
         * Verbs that the controller manager uses on the preferred version of every API: its garbage collector lists and watches, and
         * it deletes each collection of a namespace that is deleted.
         */
        private static final Set<String> HOUSEKEEPING = Set.of("LIST", "WATCH", "DELETECOLLECTION");

        public DeprecatedRequest {
            verbs = Set.copyOf(new TreeSet<>(verbs));
        }

        /** Whether all verbs are those that the controller manager uses. */
        public boolean isHousekeeping() {
            return !verbs.isEmpty() && HOUSEKEEPING.containsAll(verbs);
        }

        DeprecatedRequest with(Set<String> otherVerbs) {
            return new DeprecatedRequest(group, version, resource, removedRelease, otherVerbs);
        }

        /** As in {@code policy/v1beta1}. */
        public String apiVersion() {
            return group.isEmpty() ? version : group + "/" + version;
        }
    }

    /** Each deprecated API that any server tells of once, with the verbs of all; with none where one knows none. */
    List<DeprecatedRequest> deprecatedRequests() {
        Map<DeprecatedRequest, DeprecatedRequest> merged = new LinkedHashMap<>();
        for (Evidence<List<DeprecatedRequest>> told : requests.values()) {
            told.orElse(List.of())
                    .forEach(request -> merged.merge(request.with(Set.of()), request, (one, other) -> {
                        if (one.verbs().isEmpty() || other.verbs().isEmpty()) {
                            return one.with(Set.of());
                        }
                        Set<String> verbs = new TreeSet<>(one.verbs());
                        verbs.addAll(other.verbs());
                        return one.with(verbs);
                    }));
        }
        return List.copyOf(merged.values());
    }

    /** What an upgrade's check says where a server does not tell. */
    List<PlanFinding> unknownRequests(String check) {
        List<PlanFinding> findings = new ArrayList<>();
        requests.forEach((clients, told) -> {
            if (told instanceof Evidence.Unknown<List<DeprecatedRequest>>(String why)) {
                findings.add(PlanFinding.unknown(
                        check,
                        clients,
                        "which deprecated APIs are asked for is not known: " + why,
                        "a user that may read /metrics, on a machine that reaches the server, as each node does"));
            }
        });
        return findings;
    }

    /** @param where the file and what it is for */
    public record Expiry(String where, String subject, Instant notAfter) {}

    /**
     * Objects of a resource that are stored in one version.
     *
     * @param resource with its group, as in {@code poddisruptionbudgets.policy}
     */
    public record Stored(String resource, String apiVersion, long objects) {}

    public ClusterSeen {
        requests = Collections.unmodifiableSortedMap(new TreeMap<>(requests));
        summaries = Map.copyOf(new TreeMap<>(summaries));
    }
}
