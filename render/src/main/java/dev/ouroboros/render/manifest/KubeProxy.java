package dev.ouroboros.render.manifest;

import static dev.ouroboros.render.manifest.Pods.mounted;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.render.cluster.ClusterSpec;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.HTTPGetActionBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.Map;

/**
 * kube-proxy, a DaemonSet. It is set up by flags and not by a configuration file: with {@code --config} it ignores most flags, so
 * that the owner's extra arguments would do nothing. Its user, system:kube-proxy, has its role by a default binding.
 */
final class KubeProxy {
    private static final Component COMPONENT = Component.PROXY;

    private final ClusterSpec spec;
    private final VersionFacts facts;
    private final String mode;

    KubeProxy(ClusterSpec spec, VersionFacts facts, String mode) {
        this.spec = spec;
        this.facts = facts;
        this.mode = mode;
    }

    DaemonSet daemonSet(String secretName) {
        PodSpec pod = new PodSpecBuilder()
                .withAutomountServiceAccountToken(false)
                .withEnableServiceLinks(false)
                .withHostNetwork(true)
                .withDnsPolicy("Default")
                .withNodeSelector(Map.of("kubernetes.io/os", "linux"))
                .withPriorityClassName(Pods.NODE_CRITICAL)
                .withTolerations(Pods.tolerateEverything())
                .withContainers(container().build())
                .withVolumes(
                        Pods.secretsFrom(secretName),
                        Pods.hostPath("modules", "/lib/modules", ""),
                        Pods.hostPath("xtables-lock", "/run/xtables.lock", "FileOrCreate"))
                .build();
        return DaemonSets.of(COMPONENT.id(), Pods.labels(COMPONENT, "node"), DaemonSets.oneAtATime(), Map.of(), pod);
    }

    private ContainerBuilder container() {
        ContainerBuilder container = new ContainerBuilder()
                .withName(COMPONENT.id())
                .withImage(spec.images().proxy())
                .withImagePullPolicy(Pods.IF_NOT_PRESENT)
                .withCommand(arguments().commandOf(COMPONENT))
                .withEnv(Pods.fromField("NODE_NAME", "spec.nodeName"))
                .withResources(Pods.requests("50m", "32Mi"))
                .withSecurityContext(Pods.privileged())
                .withVolumeMounts(
                        Pods.secretsMount(),
                        Pods.readOnly("modules", "/lib/modules"),
                        Pods.writable("xtables-lock", "/run/xtables.lock"));
        facts.probePath(COMPONENT, "readiness")
                .ifPresent(path -> container.withReadinessProbe(probe(path, Pods.ProbeTimes.READINESS)));
        facts.probePath(COMPONENT, "liveness")
                .ifPresent(path -> container.withLivenessProbe(probe(path, Pods.ProbeTimes.LIVENESS)));
        return container;
    }

    private static Probe probe(String path, Pods.ProbeTimes times) {
        HTTPGetAction get = new HTTPGetActionBuilder()
                .withHost(Pods.LOOPBACK)
                .withPath(path)
                .withPort(new IntOrString(COMPONENT.port()))
                .build();
        return times.applyTo(new ProbeBuilder().withHttpGet(get)).build();
    }

    private Arguments arguments() {
        return new Arguments()
                .set("cluster-cidr", spec.network().pods())
                // The limit of conntrack is the machine's: it cannot be written in a network namespace.
                .set("conntrack-max-per-core", 0)
                .set("conntrack-min", 0)
                .set("hostname-override", "$(NODE_NAME)")
                .set("kubeconfig", mounted(AssetLayout.PROXY_KUBECONFIG))
                .set("proxy-mode", mode)
                .setAll(facts.arguments(COMPONENT))
                .setAll(spec.extraArgumentsOf(COMPONENT));
    }
}
