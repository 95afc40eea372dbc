package dev.ouroboros.sandbox.up;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.NodeObjects;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxApi;
import dev.ouroboros.sandbox.SandboxRecord;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Which nodes of a sandbox are of its control plane: the cluster says so, by a label that anybody may set. */
public final class NodeRoles {
    /** Whoever lists nodes does not wait for a cluster that is off. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private NodeRoles() {}

    /** Of each Node by its name whether it is of the control plane; nothing of a cluster that does not answer. */
    public static Map<String, Boolean> controlPlanes(Sandbox sandbox) {
        Optional<KubernetesVersion> version =
                sandbox.record().flatMap(SandboxRecord::kubernetesVersion).flatMap(KubernetesVersion::parse);
        if (version.filter(VersionFacts.supported()::contains).isEmpty()
                || sandbox.node().isEmpty()) {
            return Map.of();
        }
        try (ClusterClient client = ClusterClient.connect(SandboxApi.endpoint(sandbox), PATIENCE)) {
            return new NodeObjects(client)
                    .labelled(VersionFacts.of(version.get()).nodeRole())
                    .orElse(Map.of());
        } catch (ProblemException e) {
            // Its kubeconfig is not there yet, or damaged: 'ouro status' says so, and who lists nodes wants the others.
            return Map.of();
        }
    }
}
