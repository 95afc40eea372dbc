package dev.ouroboros.etcd.membership;

import dev.ouroboros.api.ApiPath;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.StewardObjects;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;

/** How many members {@code ControlPlane/cluster} wishes, for who is about to add one by hand: the steward would have it leave again. */
public final class WishedMembers {
    private static final ApiPath OBJECT =
            ApiPath.of(StewardObjects.API_VERSION, StewardObjects.RESOURCE).named(StewardObjects.NAME);

    private static final ApiPath STEWARD =
            ApiPath.of("apps/v1", "kube-system", "daemonsets").named(Component.STEWARD.id());

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
        boolean isWished = spec.at("etcd", "size").integer().isPresent()
                && !spec.at("paused").isTrue();
        if (isWished && isObeyed(client)) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    "ControlPlane/cluster",
                    "says how many members etcd has, and the steward sees to it",
                    "an object that is paused, or none",
                    "say there how many there are to be: kubectl scale controlplane/cluster --replicas=3");
        }
    }

    private static boolean isObeyed(ClusterClient client) {
        return client.asking("the steward", () -> client.api().find(STEWARD))
                .filter(steward -> StewardObjects.managesEtcd(steward.at("spec", "template", "spec")))
                .isPresent();
    }
}
