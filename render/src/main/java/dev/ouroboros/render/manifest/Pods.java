package dev.ouroboros.render.manifest;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.component.Component;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Parts that the pods of the control plane share. */
final class Pods {
    static final String NAMESPACE = "kube-system";

    /** Annotations of pod templates of which the keeper saves the last good copy. */
    static final Map<String, String> CHECKPOINTED = Map.of("ouroboros.dev/checkpoint", "true");

    /** Label of temporary copies, instead of labels that selectors of Services, budgets and controllers would match. */
    static final String UNDERSTUDY_LABEL = "ouroboros.dev/understudy";

    static final String NODE_CRITICAL = Understudy.PRIORITY_CLASS;
    static final String CLUSTER_CRITICAL = "system-cluster-critical";

    /** Value of {@link #NODE_CRITICAL}: no admission fills it in for a static pod. */
    static final int NODE_CRITICAL_PRIORITY = Understudy.PRIORITY;

    /** Where the files of a component are in its container, whatever volume brings them. */
    static final String SECRETS_DIRECTORY = "/etc/kubernetes/secrets";

    /** Type of a directory of the node that the kubelet makes. */
    static final String MADE_WHEN_MISSING = "DirectoryOrCreate";

    static final String LOOPBACK = "127.0.0.1";
    static final String IF_NOT_PRESENT = "IfNotPresent";

    private static final String SECRETS_VOLUME = "secrets";
    private static final long NOBODY = 65534;
    private static final int READ_BY_GROUP = 0440;

    private Pods() {}

    /** Labels as bootkube's, which are in the selectors of people's tools. */
    static Map<String, String> labels(Component component, String tier) {
        return new TreeMap<>(Map.of("k8s-app", component.id(), "tier", tier));
    }

    /** Runs as another user than root, who may read mounted Secrets by group. */
    static PodSecurityContext unprivileged() {
        return new PodSecurityContextBuilder()
                .withRunAsNonRoot(true)
                .withRunAsUser(NOBODY)
                .withRunAsGroup(NOBODY)
                .withFsGroup(NOBODY)
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile()
                .build();
    }

    /** Under the runtime's default seccomp profile, and as the user that its containers name. */
    static PodSecurityContext defaultSeccomp() {
        return new PodSecurityContextBuilder()
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile()
                .build();
    }

    /**
     * Without a way to more privileges. The capability is there because the kube-apiserver binary of registry.k8s.io is marked with it: the kernel
     * does not execute a marked binary whose capability is not in the bounding set (build/server-image/kube-apiserver/Dockerfile).
     */
    static SecurityContext confined() {
        return new SecurityContextBuilder()
                .withAllowPrivilegeEscalation(false)
                .withReadOnlyRootFilesystem(true)
                .withNewCapabilities()
                .withDrop("ALL")
                .withAdd("NET_BIND_SERVICE")
                .endCapabilities()
                .build();
    }

    static SecurityContext privileged() {
        return new SecurityContextBuilder().withPrivileged(true).build();
    }

    /** Root with these capabilities alone. */
    static SecurityContext rootWith(String... capabilities) {
        return new SecurityContextBuilder()
                .withRunAsUser(0L)
                .withAllowPrivilegeEscalation(false)
                .withReadOnlyRootFilesystem(true)
                .withNewCapabilities()
                .withDrop("ALL")
                .withAdd(capabilities)
                .endCapabilities()
                .build();
    }

    static ResourceRequirements requests(String cpu, String memory) {
        return new ResourceRequirementsBuilder()
                .withRequests(new TreeMap<>(Map.of("cpu", new Quantity(cpu), "memory", new Quantity(memory))))
                .build();
    }

    /** A probe of an HTTPS path; of the pod's address when {@code host} is empty. */
    static Probe https(Optional<String> host, int port, String path, ProbeTimes times) {
        return times.applyTo(new ProbeBuilder()
                        .withNewHttpGet()
                        .withHost(host.orElse(null))
                        .withPath(path)
                        .withPort(new IntOrString(port))
                        .withScheme("HTTPS")
                        .endHttpGet())
                .build();
    }

    /** A probe of a plain HTTP path on the node's loopback. */
    static Probe onLoopback(int port, String path, ProbeTimes times) {
        return times.applyTo(new ProbeBuilder()
                        .withNewHttpGet()
                        .withHost(LOOPBACK)
                        .withPath(path)
                        .withPort(new IntOrString(port))
                        .endHttpGet())
                .build();
    }

    /** A probe that a port accepts connections. */
    static Probe accepts(Optional<String> host, int port, ProbeTimes times) {
        return times.applyTo(new ProbeBuilder()
                        .withNewTcpSocket()
                        .withHost(host.orElse(null))
                        .withPort(new IntOrString(port))
                        .endTcpSocket())
                .build();
    }

    static EnvVar fromField(String name, String field) {
        return new EnvVarBuilder()
                .withName(name)
                .withNewValueFrom()
                .withNewFieldRef()
                .withFieldPath(field)
                .endFieldRef()
                .endValueFrom()
                .build();
    }

    static Toleration tolerateEverything() {
        return new TolerationBuilder().withOperator("Exists").build();
    }

    /** How long a pod stays on a node that does not answer. */
    static Toleration leaveUnreachable(long seconds) {
        return new TolerationBuilder()
                .withKey("node.kubernetes.io/unreachable")
                .withOperator("Exists")
                .withEffect("NoExecute")
                .withTolerationSeconds(seconds)
                .build();
    }

    static Toleration tolerate(String key) {
        return new TolerationBuilder()
                .withKey(key)
                .withOperator("Exists")
                .withEffect("NoSchedule")
                .build();
    }

    /** Prefers nodes that have no other pod of the component. */
    static Affinity apart(Map<String, String> labels) {
        return new AffinityBuilder()
                .withNewPodAntiAffinity()
                .addNewPreferredDuringSchedulingIgnoredDuringExecution()
                .withWeight(100)
                .withNewPodAffinityTerm()
                .withTopologyKey("kubernetes.io/hostname")
                .withNewLabelSelector()
                .withMatchLabels(labels)
                .endLabelSelector()
                .endPodAffinityTerm()
                .endPreferredDuringSchedulingIgnoredDuringExecution()
                .endPodAntiAffinity()
                .build();
    }

    static Volume secretsFrom(String secretName) {
        return new VolumeBuilder()
                .withName(SECRETS_VOLUME)
                .withNewSecret()
                .withSecretName(secretName)
                .withDefaultMode(READ_BY_GROUP)
                .endSecret()
                .build();
    }

    static Volume secretsFromNode(String directory) {
        return hostPath(SECRETS_VOLUME, directory, "Directory");
    }

    static VolumeMount secretsMount() {
        return readOnly(SECRETS_VOLUME, SECRETS_DIRECTORY);
    }

    static Volume hostPath(String name, String path, String type) {
        return new VolumeBuilder()
                .withName(name)
                .withNewHostPath()
                .withPath(path)
                .withType(type)
                .endHostPath()
                .build();
    }

    static VolumeMount readOnly(String volume, String path) {
        return new VolumeMountBuilder()
                .withName(volume)
                .withMountPath(path)
                .withReadOnly(true)
                .build();
    }

    static VolumeMount writable(String volume, String path) {
        return new VolumeMountBuilder().withName(volume).withMountPath(path).build();
    }

    /** The directory of a socket. It is mounted in place of the socket, so that the socket of a restarted runtime is found. */
    static String directoryOf(String socket) {
        return Optional.ofNullable(Path.of(socket).getParent())
                .map(Path::toString)
                .orElse("/");
    }

    /** Path in the container of a file of the asset directory. */
    static String mounted(String assetPath) {
        return SECRETS_DIRECTORY + "/" + AssetLayout.baseName(assetPath);
    }

    /** When a probe asks and when it gives up. */
    record ProbeTimes(int delay, int period, int timeout, int failures) {
        /**
         * Asks each second, for half an hour until the first answer: as long as a keeper gives a candidate at most, whose own deadline ends one that
         * gets nowhere. With five minutes a candidate was ended twice before it was ready (emulation at a load of 20).
         */
        static final ProbeTimes STARTUP = new ProbeTimes(0, 1, 5, 1800);

        /** A change of readiness is seen within a few seconds. */
        static final ProbeTimes READINESS = new ProbeTimes(0, 2, 5, 3);

        /** As kubeadm's: a restart is the last resort. */
        static final ProbeTimes LIVENESS = new ProbeTimes(10, 10, 15, 8);

        /**
         * For a component that has an understudy, which serves within seconds when it hangs. It is restarted only after four minutes without an
         * answer: on a machine so busy that the API server is silent for two, another start is what it has least time for (Debian 12 in emulation,
         * load 20: with kubeadm's times it was ended while it served).
         */
        static final ProbeTimes LIVENESS_WITH_UNDERSTUDY = new ProbeTimes(10, 15, 30, 16);

        ProbeBuilder applyTo(ProbeBuilder probe) {
            return probe.withInitialDelaySeconds(delay == 0 ? null : delay)
                    .withPeriodSeconds(period)
                    .withTimeoutSeconds(timeout)
                    .withFailureThreshold(failures);
        }
    }
}
