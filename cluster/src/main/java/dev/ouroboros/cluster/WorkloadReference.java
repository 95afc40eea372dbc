package dev.ouroboros.cluster;

import dev.ouroboros.api.ApiPath;
import java.util.Locale;

/**
 * Names a DaemonSet or Deployment.
 *
 * @param kind {@code DaemonSet} or {@code Deployment}
 */
public record WorkloadReference(String kind, String namespace, String name) {
    /** Where it is in the API. */
    ApiPath apiPath() {
        return ApiPath.of("apps/v1", namespace, kind.toLowerCase(Locale.ROOT) + "s")
                .named(name);
    }

    /** {@code namespace/name}. */
    public String path() {
        return namespace + "/" + name;
    }
}
