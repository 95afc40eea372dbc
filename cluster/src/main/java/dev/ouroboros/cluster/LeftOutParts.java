package dev.ouroboros.cluster;

import dev.ouroboros.api.Api.Grace;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.WorkloadReference;
import dev.ouroboros.model.problem.ProblemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Parts that a document can leave out, such as kube-proxy and DNS, and that an earlier start applied although the manifests do not have them any
 * more. Only objects that we applied are deleted; a kube-proxy's rules stay in the kernel until the next boot.
 */
public final class LeftOutParts {
    private static final String NAMESPACE = "kube-system";
    private static final List<WorkloadReference> OPTIONAL = List.of(
            new WorkloadReference("DaemonSet", NAMESPACE, Component.PROXY.id()),
            new WorkloadReference("Deployment", NAMESPACE, Component.DNS.id()),
            new WorkloadReference("Deployment", NAMESPACE, "coredns"),
            new WorkloadReference("DaemonSet", NAMESPACE, Component.STEWARD.id()));

    private LeftOutParts() {}

    /**
     * Deletes such parts. Done again, it does nothing.
     *
     * @param objects all that the cluster is to have
     * @return the workloads that it deleted
     * @throws ProblemException API_UNAVAILABLE when the server cannot be asked, API_REFUSED when it refuses
     */
    public static List<WorkloadReference> delete(ClusterClient client, List<Json> objects) {
        return client.asking("parts that the manifests leave out", () -> {
            List<WorkloadReference> deleted = new ArrayList<>();
            for (WorkloadReference part : OPTIONAL) {
                boolean leftOut = objects.stream().noneMatch(object -> isOf(part, object));
                if (leftOut && delete(client, part)) {
                    deleted.add(part);
                }
            }
            return deleted;
        });
    }

    private static boolean isOf(WorkloadReference part, Json object) {
        return object.at("kind").equals(Json.text(part.kind()))
                && Metadata.namespace(object).equals(part.namespace())
                && Metadata.name(object).equals(part.name());
    }

    private static boolean delete(ClusterClient client, WorkloadReference part) throws ApiException {
        ApiPath path = Workloads.path(part);
        Optional<Json> ours = client.api().find(path).filter(LeftOutParts::isOurs);
        if (ours.isEmpty()) {
            return false;
        }
        return client.deleteIfThere(path, Metadata.uid(ours.get()), Grace.ITS_OWN);
    }

    private static boolean isOurs(Json object) {
        return object.at("metadata", "managedFields").items().stream()
                .anyMatch(fields -> fields.at("manager").equals(Json.text(ClusterClient.FIELD_MANAGER)));
    }
}
