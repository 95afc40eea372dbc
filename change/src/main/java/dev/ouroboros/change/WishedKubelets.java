package dev.ouroboros.change;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.cluster.ClusterWriter;
import dev.ouroboros.model.component.StewardObjects;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;

/** What {@code ControlPlane/cluster} wishes of kubelets, for who is about to change them by hand: the steward would change them back. */
public final class WishedKubelets {
    private static final String OBJECT =
            "/apis/" + StewardObjects.API_VERSION + "/" + StewardObjects.RESOURCE + "/" + StewardObjects.NAME;

    private WishedKubelets() {}

    /**
     * Requires that nobody sees to kubelets.
     *
     * @throws ProblemException CHANGE_REFUSED when the steward does
     */
    public static void requireNone(ClusterClient client) {
        requireNone(new ClusterChangeApi(new ClusterReader(client), new ClusterWriter(client)));
    }

    static void requireNone(ChangeApi api) {
        Json spec = spec(api);
        if (!spec.at("kubelet").isNull() && !spec.at("paused").isTrue()) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    "ControlPlane/cluster",
                    "says in spec.kubelet what every kubelet is to be, and the steward sees to it",
                    "an object that is paused, or has no spec.kubelet",
                    "say it there: kubectl edit controlplane cluster; an upgrade leaves kubelets with --no-kubelets");
        }
    }

    /** Absent where there is no steward. */
    static Json spec(ChangeApi api) {
        try {
            return api.read(OBJECT).at("spec");
        } catch (ProblemException e) {
            if (e.problems().getFirst().code() == ErrorCode.NOT_FOUND) {
                return Json.absent();
            }
            throw e;
        }
    }
}
