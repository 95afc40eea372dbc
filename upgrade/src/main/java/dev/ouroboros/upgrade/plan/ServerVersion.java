package dev.ouroboros.upgrade.plan;

import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.version.KubernetesVersion;

/** The version of the API server that answers. */
public final class ServerVersion {
    private ServerVersion() {}

    public static Evidence<KubernetesVersion> read(ClusterReader reader) {
        return switch (reader.get("/version")) {
            case Evidence.Unknown<Json>(String reason) -> Evidence.unknown(reason);
            case Evidence.Known<Json>(Json version) -> {
                String text = version.at("gitVersion").text().orElse("");
                yield KubernetesVersion.parse(text)
                        .<Evidence<KubernetesVersion>>map(Evidence::known)
                        .orElseGet(() -> Evidence.unknown("the API server says that its version is '" + text + "'"));
            }
        };
    }
}
