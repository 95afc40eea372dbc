package dev.ouroboros.render.manifest;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.NodeAgentObjects;
import dev.ouroboros.model.kubelet.KubeletLayout;
import dev.ouroboros.render.cluster.ClusterSpec;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.Map;
import java.util.TreeMap;

/**
 * The agent of every node that is not of the control plane; on control-plane nodes the keeper does its work. It is the keeper's program in another
 * role, with a key that may change nothing in the API.
 *
 * <p>Its directory on the node differs from the keeper's, but has the same path in the container: the image's command waits for a lock there, and
 * where a node becomes a control-plane node, agent and keeper must not wait for each other.
 *
 * <p>The DaemonSet's pod also keeps its node's kubelet, and reports that with the kubelet's credentials. The static copy does not: it is there for
 * when there is no API.
 *
 * <p>The static copy is a pod that waits for the same lock, and acts when no pod of the DaemonSet does: a machine that boots finds a server although
 * the one that its kubelet dials is gone. The DaemonSet's pod writes its manifest to the kubelet's directory.
 */
final class NodeAgentDaemonSet {
    private static final long TERMINATION_SECONDS = 5;
    private static final String OWN_STATE = StateLayout.path(StateLayout.NODE_AGENT);
    private static final String IN_CONTAINER = StateLayout.path(StateLayout.KEEPER);
    /** The kubelet's certificate and key: with these the agent reports on its own node's kubelet, and on no other. */
    private static final String KUBELET_KEYS = StewardManifests.KUBELET_KEYS;

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
        return DaemonSets.of(
                Component.NODE_AGENT.id(),
                labels,
                DaemonSets.rolling(new IntOrString("10%")),
                Map.of(),
                spec(container(managedArguments())
                                .addToVolumeMounts(
                                        Pods.secretsMount(),
                                        Pods.writable("kubelet", KubeletLayout.DIRECTORY),
                                        Pods.readOnly("kubelet-keys", KUBELET_KEYS))
                                .withReadinessProbe(Pods.onLoopback(
                                        Component.NODE_AGENT.port(), "/readyz", new Pods.ProbeTimes(0, 5, 5, 3)))
                                .withLivenessProbe(Pods.onLoopback(Component.NODE_AGENT.port(), "/healthz", HANGS)))
                        .withAffinity(otherNodes())
                        .addToVolumes(
                                Pods.secretsFrom(secretName),
                                Pods.hostPath("kubelet", KubeletLayout.DIRECTORY, Pods.MADE_WHEN_MISSING),
                                Pods.hostPath("kubelet-keys", KUBELET_KEYS, "Directory"))
                        .build());
    }

    /** Without probes: while another agent has the lock, that one would answer them. */
    Pod staticPod() {
        return new PodBuilder()
                .withNewMetadata()
                .withName(Component.NODE_AGENT.id())
                .withNamespace(Pods.NAMESPACE)
                .withLabels(Map.of(Pods.UNDERSTUDY_LABEL, Component.NODE_AGENT.id()))
                .withAnnotations(Map.of(Understudy.OWNER_ANNOTATION, NodeAgentObjects.OWNER))
                .endMetadata()
                .withSpec(spec(container(staticArguments()))
                        .withPriority(Pods.NODE_CRITICAL_PRIORITY)
                        .build())
                .build();
    }

    /** What both pods have. */
    private static PodSpecBuilder spec(ContainerBuilder container) {
        return new PodSpecBuilder()
                .withAutomountServiceAccountToken(false)
                .withEnableServiceLinks(false)
                .withHostNetwork(true)
                .withDnsPolicy("Default")
                .withPriorityClassName(Pods.NODE_CRITICAL)
                .withSecurityContext(Pods.defaultSeccomp())
                .withTerminationGracePeriodSeconds(TERMINATION_SECONDS)
                .withTolerations(Pods.tolerateEverything())
                .withContainers(container.build())
                .withVolumes(
                        Pods.hostPath("manifests", KeeperDaemonSet.MANIFESTS, Pods.MADE_WHEN_MISSING),
                        Pods.hostPath("own-state", OWN_STATE, Pods.MADE_WHEN_MISSING),
                        Pods.hostPath("pod-network", CniSettings.DIRECTORY, Pods.MADE_WHEN_MISSING));
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

    private ContainerBuilder container(Arguments arguments) {
        return new ContainerBuilder()
                .withName(Component.NODE_AGENT.id())
                .withImage(spec.images().keeper())
                .withImagePullPolicy(Pods.IF_NOT_PRESENT)
                .withArgs(arguments.toFlags())
                .withEnv(Pods.fromField("NODE_NAME", "spec.nodeName"))
                .withResources(Pods.requests("10m", "48Mi"))
                // NET_ADMIN: it changes the node's packet filter and routes, and nothing else but its own static pod.
                .withSecurityContext(Pods.rootWith("NET_ADMIN"))
                .withVolumeMounts(
                        Pods.writable("manifests", KeeperDaemonSet.MANIFESTS),
                        Pods.writable("own-state", IN_CONTAINER),
                        Pods.readOnly("pod-network", CniSettings.DIRECTORY));
    }

    private Arguments managedArguments() {
        return arguments()
                .set("kubelet-directory", KubeletLayout.DIRECTORY)
                .set("kubelet-certificate", KUBELET_KEYS + "/kubelet-client-current.pem")
                .set("kubeconfig", Pods.mounted(AssetLayout.NODE_AGENT_KUBECONFIG))
                .set("static-pod", Pods.SECRETS_DIRECTORY + "/" + NodeAgentObjects.STATIC_POD);
    }

    private Arguments staticArguments() {
        return arguments()
                .set("kubeconfig", IN_CONTAINER + "/" + NodeAgentObjects.SAVED_KUBECONFIG)
                .set("static-copy", true);
    }

    private Arguments arguments() {
        return new Arguments()
                .set("node-name", "$(NODE_NAME)")
                .set("pod-cidr", spec.network().pods())
                .set("pod-network", CniSettings.TEMPLATE)
                .set("role", "node")
                .set("service-cluster-ip", spec.network().apiServiceAddress().getHostAddress());
    }
}
