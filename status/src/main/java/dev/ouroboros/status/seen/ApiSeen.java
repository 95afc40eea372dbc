package dev.ouroboros.status.seen;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What an API server said. Each list is complete or unknown.
 *
 * @param server its URL
 * @param version as it says it, for example {@code v1.20.2}
 * @param clusterId the UID of the namespace kube-system
 * @param nodes all of them
 * @param daemonSets in kube-system, as all that follows but the last two
 * @param servers addresses that the {@code kubernetes} Service leads to
 * @param others what belongs to the cluster itself and is in another namespace
 */
public record ApiSeen(
        String server,
        Evidence<String> version,
        Evidence<String> clusterId,
        Evidence<List<Json>> nodes,
        Evidence<List<Json>> daemonSets,
        Evidence<List<Json>> deployments,
        Evidence<List<Json>> pods,
        Evidence<List<DatedCertificate>> certificates,
        Evidence<Set<String>> servers,
        Evidence<Others> others) {
    /**
     * Controllers of other namespaces that belong to the cluster itself, as a network add-on's often do.
     *
     * @param pods all of their namespaces
     * @param certificates in the Secrets of each of these namespaces
     */
    public record Others(
            List<Json> daemonSets,
            List<Json> deployments,
            List<Json> pods,
            Map<String, Evidence<List<DatedCertificate>>> certificates) {
        public static final Others NONE = new Others(List.of(), List.of(), List.of(), Map.of());

        public Others {
            daemonSets = List.copyOf(daemonSets);
            deployments = List.copyOf(deployments);
            pods = List.copyOf(pods);
            certificates = Map.copyOf(certificates);
        }
    }

    /** When it did not answer at all. */
    public static ApiSeen unknown(String server, String why) {
        return new ApiSeen(
                server,
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why));
    }
}
