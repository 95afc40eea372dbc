package dev.ouroboros.status.seen;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.json.Json;
import java.util.List;

/**
 * What an API server said. Each list is complete or unknown.
 *
 * @param server its URL
 * @param version as it says it, for example {@code v1.20.2}
 * @param clusterId the UID of the namespace kube-system
 * @param nodes all of them
 * @param daemonSets in kube-system, as all that follows
 */
public record ApiSeen(
        String server,
        Evidence<String> version,
        Evidence<String> clusterId,
        Evidence<List<Json>> nodes,
        Evidence<List<Json>> daemonSets,
        Evidence<List<Json>> deployments,
        Evidence<List<Json>> pods,
        Evidence<List<DatedCertificate>> certificates) {
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
                Evidence.unknown(why));
    }
}
