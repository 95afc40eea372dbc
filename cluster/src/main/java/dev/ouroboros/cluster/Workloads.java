package dev.ouroboros.cluster;

import dev.ouroboros.api.ApiPath;
import dev.ouroboros.model.manifest.WorkloadReference;
import java.util.Locale;

/** Where DaemonSets and Deployments are in the API. */
final class Workloads {
    private Workloads() {}

    static ApiPath path(WorkloadReference workload) {
        return ApiPath.of("apps/v1", workload.namespace(), workload.kind().toLowerCase(Locale.ROOT) + "s")
                .named(workload.name());
    }
}
