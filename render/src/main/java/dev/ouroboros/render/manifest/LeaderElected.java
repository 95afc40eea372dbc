package dev.ouroboros.render.manifest;

import static dev.ouroboros.render.manifest.Pods.mounted;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.render.cluster.ClusterSpec;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The controller manager and the scheduler: Deployments in the pod network, and the temporary ones.
 *
 * <p><b>Readiness means: reaches the API, and leads or stands by.</b> Their health path alone does not say so: a standby that
 * has lost the API still answers ok. By default that path is exempt from authorization; we take it off the list
 * ({@code --authorization-always-allow-paths}), so that to answer a probe the component must first ask the API server with a
 * SubjectAccessReview whether an anonymous user may read it, which {@code system:public-info-viewer} allows. A leader that cannot
 * renew its lease fails the check behind the path. Liveness must not depend on the API, or an outage would end in crash loops: it
 * asks a path that stays exempt, or the port where a version has none.
 *
 * <p><b>One replica.</b> Of several control-plane nodes' clusters the owner scales it up, once there is more than one node for it. A second on the same node would not take over faster than the kubelet
 * restarts the first: both wait until the dead leader's lease is released. It would cost its memory, and its start would slow the
 * pivot down. A rollout starts the new one first (maxUnavailable 0).
 */
final class LeaderElected {
    private static final long TERMINATION_SECONDS = 30;
    /**
     * How long a pod stays on a node that the controller manager cannot reach any more. With Kubernetes' default of 300 s the other nodes would be
     * without it for too long.
     */
    private static final long LEAVES_AFTER_SECONDS = 10;

    /**
     * A leader that does not reach the API for 40 s ends. By Kubernetes' default it ends after 10 s, which a busy small machine can take, and its
     * restart is what such a machine has least time for. The longer Lease does no harm: when a leader ended on its node, the keeper releases its
     * Lease.
     */
    private static final Map<String, String> OUR_TIMES =
            Map.of("leader-elect-lease-duration", "60s", "leader-elect-renew-deadline", "40s");

    /**
     * With several control-plane nodes a standby is ready on another one, and nobody releases the Lease of a leader whose node is off. It is waited
     * for 13 s and, as a candidate looks every 1.5 to 3.3 s, for up to 16.3 s; with Kubernetes' defaults (15, 10 and 2 s) it was 20 to 22 s. By both
     * a leader may be without the API for 10 s.
     */
    private static final Map<String, String> TIMES_OF_SEVERAL = Map.of(
            "leader-elect-lease-duration", "13s",
            "leader-elect-renew-deadline", "10s",
            "leader-elect-retry-period", "1500ms");

    private static final int REPLICAS = 1;

    private final Component component;
    private final String image;
    private final List<String> files;
    private final Arguments arguments;
    private final VersionFacts facts;
    private final boolean isReplaced;

    /** @param isReplaced whether there are other nodes on which it may run */
    private LeaderElected(
            Component component,
            String image,
            List<String> files,
            Arguments arguments,
            VersionFacts facts,
            boolean isReplaced) {
        this.component = component;
        this.image = image;
        this.files = files;
        this.arguments = arguments;
        this.facts = facts;
        this.isReplaced = isReplaced;
    }

    static LeaderElected controllerManager(ClusterSpec spec, VersionFacts facts) {
        Arguments arguments = new Arguments()
                .set("allocate-node-cidrs", true)
                .set("client-ca-file", mounted(AssetLayout.CA_CERTIFICATE))
                .set("cluster-cidr", spec.network().pods())
                .set("cluster-name", spec.name())
                .set("cluster-signing-cert-file", mounted(AssetLayout.CA_CERTIFICATE))
                .set("cluster-signing-key-file", mounted(AssetLayout.CA_KEY))
                .set("configure-cloud-routes", false)
                // tokencleaner removes expired bootstrap tokens; bootstrapsigner signs cluster-info for kubeadm join.
                .set("controllers", "*,bootstrapsigner,tokencleaner")
                .set("root-ca-file", mounted(AssetLayout.CA_CERTIFICATE))
                .set("service-account-private-key-file", mounted(AssetLayout.SERVICE_ACCOUNT_KEY))
                .set("service-cluster-ip-range", spec.network().services())
                .set("use-service-account-credentials", true);
        if (spec.externalCloudProvider()) {
            arguments.set("cloud-provider", "external");
        }
        Component component = Component.CONTROLLER_MANAGER;
        return new LeaderElected(
                component,
                spec.images().controllerManager(),
                List.of(
                        AssetLayout.CA_CERTIFICATE,
                        AssetLayout.CA_KEY,
                        AssetLayout.SERVICE_ACCOUNT_KEY,
                        AssetLayout.CONTROLLER_MANAGER_KUBECONFIG),
                common(arguments, component, AssetLayout.CONTROLLER_MANAGER_KUBECONFIG, spec, facts),
                facts,
                spec.hasSeveralServers());
    }

    static LeaderElected scheduler(ClusterSpec spec, VersionFacts facts) {
        Component component = Component.SCHEDULER;
        return new LeaderElected(
                component,
                spec.images().scheduler(),
                List.of(AssetLayout.SCHEDULER_KUBECONFIG),
                common(new Arguments(), component, AssetLayout.SCHEDULER_KUBECONFIG, spec, facts),
                facts,
                spec.hasSeveralServers());
    }

    private static Arguments common(
            Arguments arguments, Component component, String kubeconfig, ClusterSpec spec, VersionFacts facts) {
        return arguments
                .set("authentication-kubeconfig", mounted(kubeconfig))
                .set(
                        "authorization-always-allow-paths",
                        facts.probePath(component, "liveness").orElse("/livez"))
                .set("authorization-kubeconfig", mounted(kubeconfig))
                .set("kubeconfig", mounted(kubeconfig))
                .set("leader-elect", true)
                .setAll(leaseTimes(component, spec))
                .set("profiling", false)
                .set("tls-min-version", "VersionTLS12")
                .setAll(facts.arguments(component))
                .setAll(spec.extraArgumentsOf(component));
    }

    /** Kubernetes' defaults where no keeper releases Leases. Where the owner sets one of these times, ours are left out: they must fit each other. */
    private static Map<String, String> leaseTimes(Component component, ClusterSpec spec) {
        Map<String, String> own = spec.extraArgumentsOf(component);
        if (spec.keeper().isEmpty() || TIMES_OF_SEVERAL.keySet().stream().anyMatch(own::containsKey)) {
            return Map.of();
        }
        return spec.hasSeveralServers() ? TIMES_OF_SEVERAL : OUR_TIMES;
    }

    /** Files of the asset directory that the component reads. */
    List<String> files() {
        return files;
    }

    Deployment deployment(String secretName) {
        Map<String, String> labels = Pods.labels(component, "control-plane");
        return new DeploymentBuilder()
                .withNewMetadata()
                .withName(component.id())
                .withNamespace(Pods.NAMESPACE)
                .withLabels(labels)
                .endMetadata()
                .withNewSpec()
                .withReplicas(REPLICAS)
                .withNewSelector()
                .withMatchLabels(labels)
                .endSelector()
                .withNewStrategy()
                .withType("RollingUpdate")
                .withNewRollingUpdate()
                .withMaxUnavailable(new IntOrString(0))
                .withMaxSurge(new IntOrString(1))
                .endRollingUpdate()
                .endStrategy()
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(labels)
                .withAnnotations(Pods.CHECKPOINTED)
                .endMetadata()
                .withNewSpec()
                .withAffinity(Pods.apart(labels))
                .withAutomountServiceAccountToken(false)
                .withEnableServiceLinks(false)
                .withDnsPolicy("Default")
                .withNodeSelector(Map.of(facts.nodeRole(), ""))
                .withPriorityClassName(Pods.CLUSTER_CRITICAL)
                .withSecurityContext(Pods.unprivileged())
                .withTerminationGracePeriodSeconds(TERMINATION_SECONDS)
                // These pods initialize Nodes and find out that they are ready, so that they must run on a Node that is
                // neither.
                .withTolerations(
                        Pods.tolerate(facts.nodeRole()),
                        Pods.tolerate("node.kubernetes.io/not-ready"),
                        Pods.tolerate("node.cloudprovider.kubernetes.io/uninitialized"))
                .addAllToTolerations(isReplaced ? List.of(Pods.leaveUnreachable(LEAVES_AFTER_SECONDS)) : List.of())
                .withContainers(container(Optional.empty(), component.port())
                        .withSecurityContext(Pods.confined())
                        .build())
                .withVolumes(Pods.secretsFrom(secretName))
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }

    Pod bootstrapPod() {
        return BootstrapPods.pod(
                component,
                container(Optional.of(Pods.LOOPBACK), component.understudyPort())
                        .build(),
                TERMINATION_SECONDS,
                List.of());
    }

    private ContainerBuilder container(Optional<String> host, int listening) {
        Arguments all = arguments.copy().set("secure-port", listening);
        host.ifPresent(address -> all.set("bind-address", address));
        return new ContainerBuilder()
                .withName(component.id())
                .withImage(image)
                .withImagePullPolicy(Pods.IF_NOT_PRESENT)
                .withCommand(all.commandOf(component))
                .withResources(Pods.requests("50m", "64Mi"))
                // Without a startup probe an overloaded machine, where the port does not listen within 90 s, would have
                // its liveness probe restart it
                // again and again.
                .withStartupProbe(Pods.accepts(host, listening, Pods.ProbeTimes.STARTUP))
                .withLivenessProbe(facts.probePath(component, "liveness")
                        .map(path -> Pods.https(host, listening, path, Pods.ProbeTimes.LIVENESS_WITH_UNDERSTUDY))
                        .orElseGet(() -> Pods.accepts(host, listening, Pods.ProbeTimes.LIVENESS_WITH_UNDERSTUDY)))
                .withReadinessProbe(Pods.https(
                        host,
                        listening,
                        facts.probePath(component, "readiness").orElse("/healthz"),
                        Pods.ProbeTimes.READINESS))
                .withVolumeMounts(Pods.secretsMount());
    }
}
