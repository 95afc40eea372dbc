package dev.ouroboros.etcd.decide;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.render.manifest.ManifestContainer;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a restore must know of an etcd that a kubelet runs from a manifest.
 *
 * @param podName as in the manifest; the kubelet adds the node's name
 * @param dataDirectory on the node
 * @param memberName of this member
 * @param peerUrls at which others would find it
 * @param version of the image's tag, if that is one
 * @param health where it says that it serves, in plain HTTP: as the kubelet asks, but not for itself alone
 */
public record EtcdPod(
        String namespace,
        String podName,
        String dataDirectory,
        String memberName,
        String peerUrls,
        Optional<KubernetesVersion> version,
        URI health) {
    private static final Pattern TAG_VERSION = Pattern.compile("v?(\\d+\\.\\d+(?:\\.\\d+)?).*");

    /**
     * Reads a manifest.
     *
     * @param file its name, for messages
     * @throws ProblemException with everything that keeps it from being restored
     */
    public static EtcdPod of(String file, Pod pod) {
        return of(file, pod, true);
    }

    /** As {@link #of}, of a member that may be one of several. */
    public static EtcdPod ofMember(String file, Pod pod) {
        return of(file, pod, false);
    }

    private static EtcdPod of(String file, Pod pod, boolean isToBeTheOnly) {
        Container container = container(file, pod);
        CommandLine command = ManifestContainer.commandLine(container);
        List<Problem> problems = new ArrayList<>();
        String data = command.value("data-dir").orElse("");
        Optional<String> onNode = onNode(pod, container, data);
        if (onNode.isEmpty()) {
            problems.add(
                    problem(file, "--data-dir", data.isEmpty() ? "is not set" : data + " is on no hostPath volume"));
        }
        if (command.value("wal-dir").filter(wal -> !wal.isEmpty()).isPresent()) {
            problems.add(problem(file, "--wal-dir", "is set: a log apart from the data is not restored"));
        }
        if (isToBeTheOnly
                && command.value("initial-cluster").stream()
                                .flatMap(all -> Stream.of(all.split(",", -1)))
                                .map(listed -> listed.contains("=") ? listed.substring(0, listed.indexOf('=')) : listed)
                                .map(String::strip)
                                .distinct()
                                .count()
                        > 1) {
            problems.add(
                    problem(
                            file,
                            "--initial-cluster",
                            "names several members: a snapshot restored on one of them would leave the others with what was before"));
        }
        Optional<URI> health = health(container);
        if (health.isEmpty()) {
            problems.add(
                    problem(file, "probes", "none asks etcd over plain HTTP, so nobody can say whether it is well"));
        }
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        String namespace = pod.getMetadata().getNamespace();
        return new EtcdPod(
                namespace == null || namespace.isEmpty() ? "default" : namespace,
                pod.getMetadata().getName(),
                onNode.orElseThrow(),
                command.value("name").orElse("default"),
                command.value("initial-advertise-peer-urls").orElse("http://localhost:" + Component.ETCD_PEER_PORT),
                version(container),
                health.orElseThrow());
    }

    static Container container(String file, Pod pod) {
        return Optional.ofNullable(pod.getSpec())
                .flatMap(spec -> ManifestContainer.in(spec.getContainers(), Component.ETCD))
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.UNSUPPORTED_CLUSTER,
                        file,
                        "has no container that runs etcd",
                        "etcd's static pod",
                        "say which one it is with --etcd-manifest"));
    }

    private static Problem problem(String file, String field, String what) {
        return new Problem(
                ErrorCode.UNSUPPORTED_CLUSTER,
                file + ": " + field,
                what,
                "an etcd as 'ouro up' and kubeadm set it up",
                "restore and change it by etcd's own ways: its tool before 'ouro start', its manifest by hand");
    }

    /** Where the node has what the container has at a path; empty when that is on no hostPath volume. */
    static Optional<String> onNode(Pod pod, Container container, String path) {
        if (path.isEmpty()) {
            return Optional.empty();
        }
        return container.getVolumeMounts().stream()
                .filter(mount -> path.equals(mount.getMountPath()) || path.startsWith(mount.getMountPath() + "/"))
                .max(Comparator.comparingInt(mount -> mount.getMountPath().length()))
                .filter(mount ->
                        mount.getSubPath() == null || mount.getSubPath().isEmpty())
                .flatMap(mount -> volume(pod, mount)
                        .map(root -> root + path.substring(mount.getMountPath().length())));
    }

    private static Optional<String> volume(Pod pod, VolumeMount mount) {
        return pod.getSpec().getVolumes().stream()
                .filter(volume -> mount.getName().equals(volume.getName()))
                .map(Volume::getHostPath)
                .filter(Objects::nonNull)
                .map(path -> path.getPath().replaceAll("/+$", ""))
                .findFirst();
    }

    private static Optional<KubernetesVersion> version(Container container) {
        String image = container.getImage();
        Matcher tag = TAG_VERSION.matcher(image.substring(image.lastIndexOf(':') + 1));
        return tag.matches() ? KubernetesVersion.parse(tag.group(1)) : Optional.empty();
    }

    private static Optional<URI> health(Container container) {
        return Stream.of(container.getReadinessProbe(), container.getStartupProbe(), container.getLivenessProbe())
                .filter(Objects::nonNull)
                .map(Probe::getHttpGet)
                .filter(Objects::nonNull)
                .filter(get -> get.getScheme() == null || get.getScheme().equalsIgnoreCase("HTTP"))
                .flatMap(get -> address(container, get).stream())
                .findFirst();
    }

    private static Optional<URI> address(Container container, HTTPGetAction get) {
        String host = get.getHost() == null || get.getHost().isEmpty() ? "127.0.0.1" : get.getHost();
        return port(container, get)
                .map(port -> URI.create("http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port
                        + withTheOthers(get.getPath())));
    }

    /** The kubelet may be content with a member that answers for itself ({@code serializable}); we ask whether it serves. */
    private static String withTheOthers(String path) {
        int query = path.indexOf('?');
        if (query < 0) {
            return path;
        }
        String left = Stream.of(path.substring(query + 1).split("&", -1))
                .filter(parameter -> !parameter.startsWith("serializable="))
                .collect(Collectors.joining("&"));
        return path.substring(0, query) + (left.isEmpty() ? "" : "?" + left);
    }

    /** The port that a probe asks, also where it gives its name. */
    static Optional<Integer> port(Container container, HTTPGetAction get) {
        Optional<Integer> number = Optional.ofNullable(get.getPort().getIntVal());
        return number.isPresent() || container.getPorts() == null
                ? number
                : container.getPorts().stream()
                        .filter(named -> get.getPort().getStrVal().equals(named.getName()))
                        .map(ContainerPort::getContainerPort)
                        .findFirst();
    }
}
