package dev.ouroboros.upgrade.plan;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.upgrade.decide.ClusterSeen;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Looks at a cluster as a plan does, through its API alone: without an asset directory, a target and a snapshot. */
public final class CheckUpSource {
    private static final String NOT_ASKED = "it is not asked for in a check-up";

    private CheckUpSource() {}

    public static ClusterSeen look(ClusterClient client, Instant now) {
        ClusterLook look = new ClusterLook(client);
        Evidence<KubernetesVersion> version = look.version();
        if (version instanceof Unknown<KubernetesVersion>(String why)) {
            return away(now, why);
        }
        Evidence<List<Json>> nodes = look.nodes();
        return new ClusterSeen(
                now,
                version,
                nodes,
                look.workloads(),
                look.pods(),
                Evidence.unknown(NOT_ASKED),
                Evidence.unknown(NOT_ASKED),
                look.requests(),
                look.summaries(nodes),
                Evidence.unknown(NOT_ASKED),
                Evidence.unknown(NOT_ASKED),
                Evidence.unknown(NOT_ASKED));
    }

    /** Asks nothing more: each further request would wait as long as the first. */
    private static ClusterSeen away(Instant now, String why) {
        Evidence<List<Manifest>> manifests = Evidence.unknown(why);
        return new ClusterSeen(
                now,
                Evidence.unknown(why),
                Evidence.unknown(why),
                manifests,
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Map.of("clients", Evidence.unknown(why)),
                Map.of(),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why));
    }
}
