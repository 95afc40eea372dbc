package dev.ouroboros.change;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.cluster.ClusterWriter;
import java.util.Optional;

/** What {@code ControlPlane/cluster} wishes of certificates, for who looks at them, or has them issued again, by hand: the steward goes by it. */
public final class WishedCertificates {
    private WishedCertificates() {}

    /** How long what is issued is to be good, as it is written there; empty where nobody says. */
    public static Optional<String> lifetime(ClusterClient client) {
        return lifetime(new ClusterChangeApi(new ClusterReader(client), new ClusterWriter(client)));
    }

    static Optional<String> lifetime(ChangeApi api) {
        return WishedKubelets.spec(api).at("certificates", "lifetime").text();
    }
}
