package dev.ouroboros.render.manifest;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.render.cluster.ClusterSpec;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import java.util.Map;
import java.util.TreeMap;

/**
 * The agent of each node that is none of the control plane's, where the keeper does the same. It is the keeper's program in another role, with
 * a key that may change nothing in the API.
 *
 * <p>Its directory of the node is another than the keeper's, under the same path in the container: the image's command waits for a lock there,
 * and agent and keeper of a node that becomes one of the control plane must not wait for each other.
 */
final class NodeAgentDaemonSet {
    private static final long TERMINATION_SECONDS = 5;
    private static final String OWN_STATE = StateLayout.path(StateLayout.NODE_AGENT);
    private static final Pods.ProbeTimes HANGS = new Pods.ProbeTimes(30, 10, 15, 6);

    private final ClusterSpec spec;
    private final VersionFacts facts;

    NodeAgentDaemonSet(ClusterSpec spec, VersionFacts facts) {
        this.spec = spec;
        this.facts = facts;
    }

    static Map<String, String> labels() {
        return new TreeMap<>(Map.of("k8s-app", Component.NODE_AGENT.id()));
    }

    DaemonSet daemonSet(String secretName) {
        Map<String, String> labels = labels();
        return new DaemonSetBuilder()
                .withNewMetadata()
                .withName(Component.NODE_AGENT.id())
                .withNamespace(Pods.NAMESPACE)
                .withLabels(labels)
                .endMetadata()
                .withNewSpec()
                .withNewSelector()
                .withMatchLabels(labels)
                .endSelector()
                .withNewUpdateStrategy()
                .withType("RollingUpdate")
                .withNewRollingUpdate()
                .withMaxUnavailable(new IntOrString("10%"))
                .endRollingUpdate()
                .endUpdateStrategy()
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(labels)
                .endMetadata()
                .withNewSpec()
                .withAffinity(otherNodes())
                .withAutomountServiceAccountToken(false)
                .withEnableServiceLinks(false)
                .withHostNetwork(true)
                .withDnsPolicy("Default")
                .withPriorityClassName(Pods.NODE_CRITICAL)
                .withNewSecurityContext()
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile()
                .endSecurityContext()
                .withTerminationGracePeriodSeconds(TERMINATION_SECONDS)
                .withTolerations(Pods.tolerateEverything())
                .withContainers(container())
                .withVolumes(Pods.secretsFrom(secretName), Pods.hostPath("own-state", OWN_STATE, "DirectoryOrCreate"))
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }

    private Affinity otherNodes() {
        return new AffinityBuilder()
                .withNewNodeAffinity()
                .withNewRequiredDuringSchedulingIgnoredDuringExecution()
                .addNewNodeSelectorTerm()
                .addNewMatchExpression()
                .withKey(facts.nodeRole())
                .withOperator("DoesNotExist")
                .endMatchExpression()
                .endNodeSelectorTerm()
                .endRequiredDuringSchedulingIgnoredDuringExecution()
                .endNodeAffinity()
                .build();
    }

    private Container container() {
        return new ContainerBuilder()
                .withName(Component.NODE_AGENT.id())
                .withImage(spec.images().keeper())
                .withImagePullPolicy(Pods.IF_NOT_PRESENT)
                .withArgs(arguments().toFlags())
                .withEnv(Pods.fromField("NODE_NAME", "spec.nodeName"))
                .withResources(Pods.requests("10m", "48Mi"))
                // Packet filters of the node are all that it changes.
                .withSecurityContext(Pods.rootWith("NET_ADMIN"))
                .withVolumeMounts(Pods.secretsMount(), Pods.writable("own-state", StateLayout.path(StateLayout.KEEPER)))
                .withReadinessProbe(
                        Pods.onLoopback(Component.NODE_AGENT.port(), "/readyz", new Pods.ProbeTimes(0, 5, 5, 3)))
                .withLivenessProbe(Pods.onLoopback(Component.NODE_AGENT.port(), "/healthz", HANGS))
                .build();
    }

    private Arguments arguments() {
        return new Arguments()
                .set("kubeconfig", Pods.mounted(AssetLayout.NODE_AGENT_KUBECONFIG))
                .set("node-name", "$(NODE_NAME)")
                .set("role", "node")
                .set("service-cluster-ip", spec.network().apiServiceAddress().getHostAddress());
    }
}
