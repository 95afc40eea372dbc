package dev.ouroboros.cluster;

import dev.ouroboros.core.component.Component;
import dev.ouroboros.core.problem.ProblemException;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.List;

/**
 * What a cluster has of parts that a document can leave out, as kube-proxy and DNS, although its manifests have them no more: a former
 * start applied them. Only what we applied goes; rules that a kube-proxy made stay in the kernel until the next boot.
 */
public final class LeftOutParts {
    private static final String NAMESPACE = "kube-system";
    private static final List<WorkloadReference> OPTIONAL = List.of(
            new WorkloadReference("DaemonSet", NAMESPACE, Component.PROXY.id()),
            new WorkloadReference("Deployment", NAMESPACE, Component.DNS.id()),
            new WorkloadReference("Deployment", NAMESPACE, "coredns"));

    private LeftOutParts() {}

    /**
     * Deletes them. Done again, it does nothing.
     *
     * @param manifests all that the cluster is to have
     * @return those it deleted
     * @throws ProblemException API_UNAVAILABLE when the server cannot be asked, API_REFUSED when it refuses
     */
    public static List<WorkloadReference> delete(ClusterClient client, ManifestSet manifests) {
        return client.asking(
                "parts that the manifests leave out",
                () -> OPTIONAL.stream()
                        .filter(part -> manifests.objects().stream().noneMatch(object -> isOf(part, object)))
                        .filter(part -> delete(client, part))
                        .toList());
    }

    private static boolean isOf(WorkloadReference part, GenericKubernetesResource object) {
        return part.kind().equals(object.getKind())
                && part.namespace().equals(object.getMetadata().getNamespace())
                && part.name().equals(object.getMetadata().getName());
    }

    private static boolean delete(ClusterClient client, WorkloadReference part) {
        Resource<? extends HasMetadata> resource = part.kind().equals("DaemonSet")
                ? client.api().apps().daemonSets().inNamespace(part.namespace()).withName(part.name())
                : client.api()
                        .apps()
                        .deployments()
                        .inNamespace(part.namespace())
                        .withName(part.name());
        HasMetadata there = resource.get();
        boolean ours = there != null
                && there.getMetadata().getManagedFields().stream()
                        .anyMatch(fields -> ClusterClient.FIELD_MANAGER.equals(fields.getManager()));
        return ours && !resource.delete().isEmpty();
    }
}
