package dev.ouroboros.etcd.membership;

import dev.ouroboros.api.ApiPath;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.model.component.StewardObjects;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;

/** How many members {@code ControlPlane/cluster} wishes, for who is about to add one by hand: the steward would have it leave again. */
public final class WishedMembers {
    private static final ApiPath OBJECT =
            ApiPath.of(StewardObjects.API_VERSION, StewardObjects.RESOURCE).named(StewardObjects.NAME);

    private WishedMembers() {}

    /**
     * Requires that nobody sees to a number of members.
     *
     * @throws ProblemException CHANGE_REFUSED when the steward does
     */
    public static void requireNone(ClusterClient client) {
        Json spec = client.asking("ControlPlane/cluster", () -> client.api().find(OBJECT))
                .orElse(Json.absent())
                .at("spec");
        if (spec.at("etcd", "size").integer().isPresent() && !spec.at("paused").isTrue()) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    "ControlPlane/cluster",
                    "says how many members etcd has, and the steward sees to it",
                    "an object that is paused, or none",
                    "say there how many there are to be: kubectl scale controlplane/cluster --replicas=3");
        }
    }
}
