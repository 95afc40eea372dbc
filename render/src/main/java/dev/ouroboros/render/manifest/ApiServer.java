package dev.ouroboros.render.manifest;

import static dev.ouroboros.render.manifest.Pods.mounted;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.render.cluster.ClusterSpec;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The API server: a DaemonSet, and the temporary one that stands in until its pods run. */
final class ApiServer {
    /** Files it needs whatever the cluster is like. */
    private static final List<String> FILES = List.of(
            AssetLayout.CA_CERTIFICATE,
            AssetLayout.API_SERVER_CERTIFICATE,
            AssetLayout.API_SERVER_KEY,
            AssetLayout.KUBELET_CLIENT_CERTIFICATE,
            AssetLayout.KUBELET_CLIENT_KEY,
            AssetLayout.FRONT_PROXY_CA_CERTIFICATE,
            AssetLayout.FRONT_PROXY_CLIENT_CERTIFICATE,
            AssetLayout.FRONT_PROXY_CLIENT_KEY,
            AssetLayout.SERVICE_ACCOUNT_KEY,
            AssetLayout.SERVICE_ACCOUNT_PUBLIC_KEY);

    private static final List<String> ETCD_FILES =
            List.of(AssetLayout.ETCD_CA_CERTIFICATE, AssetLayout.ETCD_CLIENT_CERTIFICATE, AssetLayout.ETCD_CLIENT_KEY);

    /** After SIGTERM the server serves for so long with a failing /readyz: clients and the keeper notice, and new connections go elsewhere. */
    private static final int SHUTDOWN_DELAY_SECONDS = 5;

    /** Watches get 10 s where the version can limit them, requests in flight 60 s (--request-timeout), and there is some to spare. */
    private static final long TERMINATION_SECONDS = SHUTDOWN_DELAY_SECONDS + 10 + 60 + 15;

    /**
     * As much as kubeadm requests, and more than an understudy does: when processors are short, the kernel gives the server that has the clients two
     * and a half times as much as the candidate that boots beside it.
     */
    private static final String PROCESSOR = "250m";

    private static final Component COMPONENT = Component.API_SERVER;

    private final ClusterSpec spec;
    private final VersionFacts facts;

    ApiServer(ClusterSpec spec, VersionFacts facts) {
        this.spec = spec;
        this.facts = facts;
    }

    /** Files of the asset directory that the component reads. */
    List<String> files() {
        List<String> files = new ArrayList<>(FILES);
        if (usesEtcdCertificates()) {
            files.addAll(ETCD_FILES);
        }
        if (spec.encryption().enabled()) {
            files.add(AssetLayout.ENCRYPTION_CONFIG);
        }
        if (limitsAnonymousByFile()) {
            files.add(AssetLayout.AUTHENTICATION_CONFIG);
        }
        return List.copyOf(files);
    }

    DaemonSet daemonSet(String secretName) {
        PodSpec pod = new PodSpecBuilder()
                .withAutomountServiceAccountToken(false)
                .withEnableServiceLinks(false)
                .withHostNetwork(true)
                .withDnsPolicy("Default")
                .withNodeSelector(Map.of(facts.nodeRole(), ""))
                .withPriorityClassName(Pods.NODE_CRITICAL)
                .withSecurityContext(Pods.unprivileged())
                .withTerminationGracePeriodSeconds(TERMINATION_SECONDS)
                .withTolerations(Pods.tolerateEverything())
                .withContainers(container(spec.apiServer().port())
                        .withSecurityContext(Pods.confined())
                        .build())
                .withVolumes(Pods.secretsFrom(secretName), hostCertificates())
                .build();
        return DaemonSets.of(
                COMPONENT.id(), Pods.labels(COMPONENT, "control-plane"), DaemonSets.onDelete(), Pods.CHECKPOINTED, pod);
    }

    Pod bootstrapPod() {
        Container container = container(COMPONENT.understudyPort()).build();
        return BootstrapPods.pod(COMPONENT, container, TERMINATION_SECONDS, List.of(hostCertificates()));
    }

    private ContainerBuilder container(int port) {
        Optional<String> loopback = Optional.of(Pods.LOOPBACK);
        return new ContainerBuilder()
                .withName(COMPONENT.id())
                .withImage(spec.images().apiServer())
                .withImagePullPolicy(Pods.IF_NOT_PRESENT)
                .withCommand(arguments(port).commandOf(COMPONENT))
                .withEnv(Pods.fromField("POD_IP", "status.podIP"))
                .withResources(Pods.requests(PROCESSOR, "256Mi"))
                .withStartupProbe(Pods.https(loopback, port, "/livez", Pods.ProbeTimes.STARTUP))
                .withLivenessProbe(Pods.https(loopback, port, "/livez", Pods.ProbeTimes.LIVENESS_WITH_UNDERSTUDY))
                .withReadinessProbe(Pods.https(loopback, port, "/readyz", Pods.ProbeTimes.READINESS))
                .withVolumeMounts(Pods.secretsMount(), Pods.readOnly("host-certificates", "/etc/ssl/certs"));
    }

    /** The CAs that the node trusts, for webhooks and identity providers: the images contain none. */
    private static io.fabric8.kubernetes.api.model.Volume hostCertificates() {
        return Pods.hostPath("host-certificates", "/etc/ssl/certs", "");
    }

    private Arguments arguments(int port) {
        Arguments arguments = new Arguments()
                .set("advertise-address", "$(POD_IP)")
                .set("allow-privileged", true)
                .set("authorization-mode", "Node,RBAC")
                .set("bind-address", "::")
                .set("client-ca-file", mounted(AssetLayout.CA_CERTIFICATE))
                .set("enable-admission-plugins", "NodeRestriction")
                .set("enable-bootstrap-token-auth", true)
                // The built-in reconcilers empty the kubernetes Service when their server stops; here start and the
                // keeper write it.
                .set("endpoint-reconciler-type", "none")
                .set("etcd-servers", String.join(",", spec.etcd().servers()))
                .set("kubelet-client-certificate", mounted(AssetLayout.KUBELET_CLIENT_CERTIFICATE))
                .set("kubelet-client-key", mounted(AssetLayout.KUBELET_CLIENT_KEY))
                .set("kubelet-preferred-address-types", "InternalIP,ExternalIP,Hostname")
                .set("profiling", false)
                .set("proxy-client-cert-file", mounted(AssetLayout.FRONT_PROXY_CLIENT_CERTIFICATE))
                .set("proxy-client-key-file", mounted(AssetLayout.FRONT_PROXY_CLIENT_KEY))
                .set("requestheader-allowed-names", "front-proxy-client")
                .set("requestheader-client-ca-file", mounted(AssetLayout.FRONT_PROXY_CA_CERTIFICATE))
                .set("requestheader-extra-headers-prefix", "X-Remote-Extra-")
                .set("requestheader-group-headers", "X-Remote-Group")
                .set("requestheader-username-headers", "X-Remote-User")
                .set("secure-port", port)
                .set("service-account-issuer", "https://kubernetes.default.svc")
                .set("service-account-key-file", mounted(AssetLayout.SERVICE_ACCOUNT_PUBLIC_KEY))
                .set("service-account-signing-key-file", mounted(AssetLayout.SERVICE_ACCOUNT_KEY))
                .set("service-cluster-ip-range", spec.network().services())
                .set("shutdown-delay-duration", SHUTDOWN_DELAY_SECONDS + "s")
                .set("tls-cert-file", mounted(AssetLayout.API_SERVER_CERTIFICATE))
                .set("tls-min-version", "VersionTLS12")
                .set("tls-private-key-file", mounted(AssetLayout.API_SERVER_KEY));
        if (usesEtcdCertificates()) {
            arguments
                    .set("etcd-cafile", mounted(AssetLayout.ETCD_CA_CERTIFICATE))
                    .set("etcd-certfile", mounted(AssetLayout.ETCD_CLIENT_CERTIFICATE))
                    .set("etcd-keyfile", mounted(AssetLayout.ETCD_CLIENT_KEY));
        }
        if (spec.encryption().enabled()) {
            arguments.set("encryption-provider-config", mounted(AssetLayout.ENCRYPTION_CONFIG));
        }
        if (limitsAnonymousByFile()) {
            arguments.set("authentication-config", mounted(AssetLayout.AUTHENTICATION_CONFIG));
        }
        return arguments.setAll(facts.arguments(COMPONENT)).setAll(spec.extraArgumentsOf(COMPONENT));
    }

    private boolean usesEtcdCertificates() {
        return !(spec.etcd().security() instanceof ClusterSpec.EtcdSecurity.None);
    }

    /**
     * Whether anonymous access is limited to health paths by configuration. Older versions leave it to RBAC, whose defaults
     * give anonymous users these paths and /version; the flag that turns them off altogether would fail the kubelet's probes.
     */
    private boolean limitsAnonymousByFile() {
        return facts.apiVersion("AuthenticationConfiguration").isPresent()
                && !spec.extraArgumentsOf(COMPONENT).containsKey("authentication-config")
                && !spec.extraArgumentsOf(COMPONENT).containsKey("anonymous-auth");
    }
}
