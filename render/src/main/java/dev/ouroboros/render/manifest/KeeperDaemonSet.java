package dev.ouroboros.render.manifest;

import static dev.ouroboros.render.manifest.Pods.mounted;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.kubelet.KubeletLayout;
import dev.ouroboros.render.cluster.ClusterSpec;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The keeper, a DaemonSet on control-plane nodes. It asks for a checkpoint as the components do: its understudy is the static copy
 * that waits for its lock. Its image has the command; what is here are the arguments.
 *
 * <p>It runs as root, because it writes static manifests, and Secrets with the owners that other containers have; of root's powers
 * it keeps those. The socket of the runtime is as good as root on the node: that cannot be confined further.
 */
public final class KeeperDaemonSet {
    /** Name of the DaemonSet and of its container. */
    public static final String NAME = Component.KEEPER.id();

    /** Where it answers probes and a metrics scraper, on loopback. */
    static final String MANIFESTS = "/etc/kubernetes/manifests";

    static final String STATE = StateLayout.DIRECTORY;
    /** The keeper's lock lies here. {@code flock} makes the file but not the directory: so the kubelet makes that. */
    static final String OWN_STATE = StateLayout.path(StateLayout.KEEPER);

    /** Directory of the kubelet's container logs: the keeper reads what a candidate printed before it ended. */
    static final String POD_LOGS = "/var/log/pods";

    private static final long TERMINATION_SECONDS = 10;

    /**
     * Three minutes without an answer: then the keeper hangs, and is not just starting on a slow machine (73 s on an emulated one). A startup probe
     * would not do: while another copy works, that one would answer it.
     */
    private static final Pods.ProbeTimes HANGS = new Pods.ProbeTimes(10, 10, 15, 18);

    private final ClusterSpec spec;
    private final ClusterSpec.Keeper keeper;
    private final VersionFacts facts;

    KeeperDaemonSet(ClusterSpec spec, ClusterSpec.Keeper keeper, VersionFacts facts) {
        this.spec = spec;
        this.keeper = keeper;
        this.facts = facts;
    }

    static Map<String, String> labels() {
        return new TreeMap<>(Map.of("k8s-app", NAME, "tier", "control-plane"));
    }

    DaemonSet daemonSet(String secretName) {
        PodSpec pod = new PodSpecBuilder()
                .withAutomountServiceAccountToken(false)
                .withEnableServiceLinks(false)
                .withHostNetwork(true)
                .withDnsPolicy("Default")
                .withNodeSelector(Map.of(facts.nodeRole(), ""))
                .withPriorityClassName(Pods.NODE_CRITICAL)
                .withSecurityContext(Pods.defaultSeccomp())
                .withTerminationGracePeriodSeconds(TERMINATION_SECONDS)
                .withTolerations(Pods.tolerateEverything())
                .withContainers(container())
                .withVolumes(volumes(secretName))
                .build();
        return DaemonSets.of(NAME, labels(), DaemonSets.oneAtATime(), Pods.CHECKPOINTED, pod);
    }

    private Container container() {
        return new ContainerBuilder()
                .withName(NAME)
                .withImage(spec.images().keeper())
                .withImagePullPolicy(Pods.IF_NOT_PRESENT)
                .withArgs(arguments().toFlags())
                .withEnv(
                        Pods.fromField("NODE_NAME", "spec.nodeName"),
                        Pods.fromField("POD_NAME", "metadata.name"),
                        Pods.fromField("HOST_IP", "status.hostIP"))
                .withResources(Pods.requests("20m", "64Mi"))
                // NET_ADMIN is for the front and routes, the others for files of other users in checkpoints.
                .withSecurityContext(Pods.rootWith("CHOWN", "DAC_OVERRIDE", "FOWNER", "NET_ADMIN"))
                .withVolumeMounts(mounts())
                .withReadinessProbe(
                        Pods.onLoopback(Component.KEEPER.port(), "/readyz", new Pods.ProbeTimes(0, 5, 5, 3)))
                .withLivenessProbe(Pods.onLoopback(Component.KEEPER.port(), "/healthz", HANGS))
                .build();
    }

    private Arguments arguments() {
        return new Arguments()
                .set("kubelet-directory", KubeletLayout.DIRECTORY)
                .set("kubeconfig", mounted(AssetLayout.KEEPER_KUBECONFIG))
                .set("node-address", "$(HOST_IP)")
                .set("node-name", "$(NODE_NAME)")
                .set("pod-name", "$(POD_NAME)")
                .set("pod-cidr", spec.network().pods())
                .set("pod-network", CniSettings.TEMPLATE)
                .set("principal-port", spec.apiServer().port())
                .set("runtime-socket", keeper.runtimeSocket())
                .set("service-cluster-ip", spec.network().apiServiceAddress().getHostAddress())
                .setAll(keeper.extraArguments());
    }

    private List<VolumeMount> mounts() {
        return List.of(
                Pods.secretsMount(),
                Pods.writable("manifests", MANIFESTS),
                Pods.writable("bootstrap-secrets", AssetLayout.BOOTSTRAP_SECRETS_DIRECTORY),
                Pods.writable("state", STATE),
                Pods.writable("own-state", OWN_STATE),
                Pods.writable("kubelet", KubeletLayout.DIRECTORY),
                Pods.readOnly("pod-logs", POD_LOGS),
                Pods.readOnly("pod-network", CniSettings.DIRECTORY),
                Pods.readOnly("runtime", runtimeDirectory()));
    }

    private List<Volume> volumes(String secretName) {
        return List.of(
                Pods.secretsFrom(secretName),
                Pods.hostPath("manifests", MANIFESTS, Pods.MADE_WHEN_MISSING),
                // The keeper removes what an abandoned start left there.
                Pods.hostPath("bootstrap-secrets", AssetLayout.BOOTSTRAP_SECRETS_DIRECTORY, Pods.MADE_WHEN_MISSING),
                Pods.hostPath("state", STATE, Pods.MADE_WHEN_MISSING),
                Pods.hostPath("own-state", OWN_STATE, Pods.MADE_WHEN_MISSING),
                Pods.hostPath("kubelet", KubeletLayout.DIRECTORY, Pods.MADE_WHEN_MISSING),
                Pods.hostPath("pod-logs", POD_LOGS, Pods.MADE_WHEN_MISSING),
                Pods.hostPath("pod-network", CniSettings.DIRECTORY, Pods.MADE_WHEN_MISSING),
                Pods.hostPath("runtime", runtimeDirectory(), "Directory"));
    }

    private String runtimeDirectory() {
        return Pods.directoryOf(keeper.runtimeSocket());
    }
}
