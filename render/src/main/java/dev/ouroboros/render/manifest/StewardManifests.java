package dev.ouroboros.render.manifest;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.StewardObjects;
import dev.ouroboros.render.cluster.ClusterSpec;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The steward, a DaemonSet on control-plane nodes, with its rights and the object {@code ControlPlane/cluster} that says what it is to do. Where etcd
 * is the owner's own, the steward lacks what it takes to add or remove a member.
 *
 * <p>Nothing waits for the steward, and it asks for no checkpoint: while no API server answers it goes on as long as its process lives, and a cluster
 * boots without it. It may read Secrets of kube-system, because it keeps the keys of encryption at rest beside each snapshot; it may read etcd, and
 * so all Secrets, anyway.
 */
final class StewardManifests {
    /** A JVM on a slow machine takes minutes to start, and so does a snapshot of gigabytes. */
    private static final Pods.ProbeTimes HANGS = new Pods.ProbeTimes(60, 60, 15, 10);

    private static final String NAME = Component.STEWARD.id();
    static final String ROLE = "ouroboros:steward";
    /** Where the certificates of etcd's member are, as render makes it, and the kubelet's, as host and sandbox set it up. */
    private static final String TLS = EtcdStaticPod.DEFAULT_TLS_DIRECTORY;

    private static final String DATA = EtcdStaticPod.DEFAULT_DATA_DIRECTORY;
    static final String KUBELET_KEYS = "/var/lib/kubelet/pki";
    private static final String KUBELET_KUBECONFIG = "/var/lib/kubelet/kubeconfig";
    private static final String CERTIFICATES = "certificates.k8s.io";
    private static final String REQUESTS = "certificatesigningrequests";
    private static final String LEASES = "coordination.k8s.io";
    private static final String CORE = "";
    private static final List<String> GET = List.of("get");

    private final ClusterSpec spec;
    private final ClusterSpec.Steward steward;
    private final VersionFacts facts;

    StewardManifests(ClusterSpec spec, ClusterSpec.Steward steward, VersionFacts facts) {
        this.spec = spec;
        this.steward = steward;
        this.facts = facts;
    }

    static Map<String, String> labels() {
        return new TreeMap<>(Map.of("k8s-app", NAME));
    }

    /**
     * Files that it mounts: keys of an etcd client, and of the authorities that issue expiring certificates again; the third authority is the
     * controller manager's.
     */
    List<String> files() {
        List<String> files = new ArrayList<>();
        if (isAskedByTls()) {
            files.addAll(List.of(
                    AssetLayout.ETCD_CA_CERTIFICATE, AssetLayout.ETCD_CLIENT_CERTIFICATE, AssetLayout.ETCD_CLIENT_KEY));
        }
        files.addAll(List.of(AssetLayout.FRONT_PROXY_CA_CERTIFICATE, AssetLayout.FRONT_PROXY_CA_KEY));
        if (hasAuthority()) {
            files.add(AssetLayout.ETCD_CA_KEY);
        }
        return files;
    }

    private boolean hasAuthority() {
        return spec.etcd().security() instanceof ClusterSpec.EtcdSecurity.Ours;
    }

    private boolean isAskedByTls() {
        return !(spec.etcd().security() instanceof ClusterSpec.EtcdSecurity.None);
    }

    /** What {@code kubectl explain controlplane} shows, as it is applied. */
    static String definition() {
        try (InputStream in = StewardManifests.class.getResourceAsStream("control-plane-definition.yaml")) {
            if (in == null) {
                throw new IllegalStateException("the definition of ControlPlane is not beside this class");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The object with as little as possible: the API server fills in the definition's defaults. It does not say how many members etcd is to have: a
     * document need not know of members that were added, and the steward writes down how many there are. Of an etcd that is the owner's nothing is
     * wished.
     */
    Map<String, Object> object() {
        Map<String, Object> etcd = Map.of("etcd", Map.of("backup", Map.of("interval", "1h")));
        return new TreeMap<>(Map.of(
                "apiVersion",
                StewardObjects.API_VERSION,
                "kind",
                StewardObjects.KIND,
                "metadata",
                Map.of("name", StewardObjects.NAME),
                "spec",
                steward.managesEtcd() ? etcd : Map.of()));
    }

    static ServiceAccount account() {
        return Access.account(NAME);
    }

    ClusterRole clusterRole() {
        List<PolicyRule> rules = new ArrayList<>(List.of(
                Rights.named(
                        Rights.rule(StewardObjects.GROUP, List.of(StewardObjects.RESOURCE), List.of("get", "patch")),
                        StewardObjects.NAME),
                Rights.named(
                        Rights.rule(
                                StewardObjects.GROUP, List.of(StewardObjects.RESOURCE + "/status"), List.of("update")),
                        StewardObjects.NAME),
                Rights.rule(CORE, List.of("nodes"), List.of("list", "update")),
                // A node whose kubelet is replaced may have to be drained.
                Rights.rule(CORE, List.of("pods"), List.of("list")),
                Rights.rule(CORE, List.of("pods/eviction"), List.of("create")),
                Rights.rule(CORE, List.of("events"), List.of("create", "patch")),
                Rights.named(Rights.rule(CORE, List.of("namespaces"), GET), Pods.NAMESPACE)));
        if (steward.managesEtcd()) {
            rules.addAll(List.of(
                    Rights.rule(CERTIFICATES, List.of(REQUESTS), List.of("get", "list", "patch")),
                    Rights.rule(CERTIFICATES, List.of(REQUESTS + "/approval", REQUESTS + "/status"), List.of("patch")),
                    Rights.named(
                            Rights.rule(CERTIFICATES, List.of("signers"), List.of("approve", "sign")),
                            StewardObjects.ETCD_MEMBER_SIGNER)));
        }
        return Rights.clusterRole(ROLE, rules.toArray(PolicyRule[]::new));
    }

    static ClusterRoleBinding clusterBinding() {
        return Access.ofAccount(ROLE, NAME);
    }

    static Role systemRole() {
        return Rights.role(
                ROLE,
                Pods.NAMESPACE,
                Rights.rule("apps", List.of("daemonsets", "deployments"), List.of("list")),
                Rights.named(
                        Rights.rule("apps", List.of("daemonsets"), List.of("get", "update")),
                        Component.API_SERVER.id(),
                        Component.PROXY.id(),
                        Component.KEEPER.id(),
                        Component.NODE_AGENT.id(),
                        NAME),
                Rights.named(
                        Rights.rule("apps", List.of("deployments"), List.of("get", "update")),
                        Component.CONTROLLER_MANAGER.id(),
                        Component.SCHEDULER.id()),
                Rights.rule(LEASES, List.of("leases"), List.of("create")),
                Rights.named(Rights.rule(LEASES, List.of("leases"), List.of("get", "update")), NAME),
                Rights.rule(CORE, List.of("secrets"), List.of("get", "list", "create")));
    }

    static RoleBinding systemBinding() {
        return Rights.ofAccount(ROLE, Pods.NAMESPACE, NAME);
    }

    DaemonSet daemonSet(String secretName) {
        PodSpec pod = new PodSpecBuilder()
                .withServiceAccountName(NAME)
                .withEnableServiceLinks(false)
                .withHostNetwork(true)
                .withHostPID(steward.managesEtcd() ? true : null)
                .withDnsPolicy("Default")
                .withNodeSelector(Map.of(facts.nodeRole(), ""))
                .withPriorityClassName(Pods.CLUSTER_CRITICAL)
                .withSecurityContext(Pods.defaultSeccomp())
                .withTolerations(Pods.tolerateEverything())
                .withContainers(container())
                .withVolumes(volumes(secretName))
                .build();
        return DaemonSets.of(NAME, labels(), DaemonSets.oneAtATime(), Map.of(), pod);
    }

    private String runtimeDirectory() {
        return Pods.directoryOf(steward.runtimeSocket());
    }

    /** Which members this node's API servers know is read from their processes, and from their connections, which takes the right to trace them. */
    private String[] capabilities() {
        return steward.managesEtcd() ? new String[] {"SYS_PTRACE"} : new String[0];
    }

    private List<Volume> volumes(String secretName) {
        List<Volume> volumes = new ArrayList<>(List.of(
                Pods.secretsFrom(secretName), Pods.hostPath("state", StateLayout.DIRECTORY, Pods.MADE_WHEN_MISSING)));
        if (seesMembers()) {
            volumes.add(Pods.hostPath("manifests", KeeperDaemonSet.MANIFESTS, Pods.MADE_WHEN_MISSING));
            volumes.add(Pods.hostPath("etcd-tls", TLS, Pods.MADE_WHEN_MISSING));
        }
        if (steward.managesEtcd()) {
            volumes.add(Pods.hostPath("etcd-data", DATA, Pods.MADE_WHEN_MISSING));
            volumes.add(Pods.hostPath("kubelet-keys", KUBELET_KEYS, "Directory"));
            volumes.add(Pods.hostPath("kubelet-kubeconfig", KUBELET_KUBECONFIG, "File"));
        }
        volumes.add(Pods.hostPath("runtime", runtimeDirectory(), "Directory"));
        return volumes;
    }

    private List<VolumeMount> mounts() {
        List<VolumeMount> mounts =
                new ArrayList<>(List.of(Pods.secretsMount(), Pods.writable("state", StateLayout.DIRECTORY)));
        if (seesMembers()) {
            // A snapshot drill runs its etcd as a static pod.
            mounts.add(Pods.writable("manifests", KeeperDaemonSet.MANIFESTS));
            mounts.add(Pods.writable("etcd-tls", TLS));
        }
        if (steward.managesEtcd()) {
            mounts.add(Pods.writable("etcd-data", DATA));
            mounts.add(Pods.readOnly("kubelet-keys", KUBELET_KEYS));
            mounts.add(Pods.readOnly("kubelet-kubeconfig", KUBELET_KUBECONFIG));
        }
        mounts.add(Pods.readOnly("runtime", runtimeDirectory()));
        return mounts;
    }

    /** Whether etcd is ours: then its members get new certificates, and snapshots are tried out, even if the steward does not manage its members. */
    private boolean seesMembers() {
        return steward.managesEtcd() || hasAuthority();
    }

    private Arguments arguments() {
        Arguments arguments = new Arguments();
        if (!steward.managesEtcd()) {
            arguments.set(StewardObjects.MANAGES_ETCD, "false");
        }
        if (isAskedByTls()) {
            arguments
                    .set("etcd-ca-file", Pods.mounted(AssetLayout.ETCD_CA_CERTIFICATE))
                    .set("etcd-certificate-file", Pods.mounted(AssetLayout.ETCD_CLIENT_CERTIFICATE))
                    .set("etcd-private-key-file", Pods.mounted(AssetLayout.ETCD_CLIENT_KEY));
        }
        return hasAuthority() ? arguments.set("etcd-ca-key-file", Pods.mounted(AssetLayout.ETCD_CA_KEY)) : arguments;
    }

    private Container container() {
        return new ContainerBuilder()
                .withName(NAME)
                .withImage(steward.image())
                .withImagePullPolicy(Pods.IF_NOT_PRESENT)
                .withArgs(arguments()
                        .set("node-name", "$(NODE_NAME)")
                        .set("node-role", facts.nodeRole())
                        .set("runtime-socket", steward.runtimeSocket())
                        .toFlags())
                .withEnv(Pods.fromField("NODE_NAME", "spec.nodeName"))
                .withResources(Pods.requests("20m", "96Mi"))
                // It writes files that belong to root.
                .withSecurityContext(Pods.rootWith(capabilities()))
                .withVolumeMounts(mounts())
                .withReadinessProbe(
                        Pods.onLoopback(Component.STEWARD.port(), "/readyz", new Pods.ProbeTimes(0, 5, 5, 3)))
                .withLivenessProbe(Pods.onLoopback(Component.STEWARD.port(), "/healthz", HANGS))
                .build();
    }
}
