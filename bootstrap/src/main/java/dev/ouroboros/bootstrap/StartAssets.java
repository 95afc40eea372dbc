package dev.ouroboros.bootstrap;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.net.NodeCidrs;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import dev.ouroboros.render.understudy.PodYaml;
import dev.ouroboros.render.understudy.TemporaryPod;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What {@code start} reads of an asset directory: ours, or one that bootkube rendered. It is never written to. */
public final class StartAssets {
    private final Disk disk;
    private final Path root;
    private final Map<Component, Pod> bootstrapPods;
    private final String clusterId;

    private StartAssets(Disk disk, Path root, Map<Component, Pod> bootstrapPods, String clusterId) {
        this.disk = disk;
        this.root = root;
        this.bootstrapPods = bootstrapPods;
        this.clusterId = clusterId;
    }

    /**
     * Reads and checks an asset directory.
     *
     * @throws ProblemException INVALID_ASSET_DIRECTORY with everything that is missing or cannot be understood
     */
    public static StartAssets read(Disk disk, Path root) {
        List<Problem> problems = new ArrayList<>();
        require(disk, root, AssetLayout.ADMIN_KUBECONFIG, problems);
        String authority = require(disk, root, AssetLayout.CA_CERTIFICATE, problems);
        Map<Component, Pod> pods = new EnumMap<>(Component.class);
        for (Component component : Component.WITH_UNDERSTUDY) {
            String file = AssetLayout.bootstrapManifest(component);
            String text = require(disk, root, file, problems);
            if (!text.isEmpty()) {
                readPod(component, root.resolve(file), text, pods, problems);
            }
        }
        if (disk.list(root.resolve(AssetLayout.MANIFESTS)).isEmpty()) {
            problems.add(missing(root.resolve(AssetLayout.MANIFESTS)));
        }
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        return new StartAssets(disk, root, pods, Sha256.hex(authority));
    }

    private static String require(Disk disk, Path root, String file, List<Problem> problems) {
        Optional<String> text = disk.readText(root.resolve(file)).filter(content -> !content.isBlank());
        if (text.isEmpty()) {
            problems.add(missing(root.resolve(file)));
        }
        return text.orElse("");
    }

    private static Problem missing(Path file) {
        return new Problem(
                ErrorCode.INVALID_ASSET_DIRECTORY,
                file.toString(),
                "is missing or empty",
                "an asset directory as 'ouro render' or 'bootkube render' writes it",
                "render it again, or give the right --asset-dir");
    }

    private static void readPod(
            Component component, Path file, String text, Map<Component, Pod> pods, List<Problem> problems) {
        try {
            Pod pod = PodYaml.parse(file.toString(), text);
            TemporaryPod.requireContainer(pod, component);
            pods.put(component, pod);
        } catch (ProblemException e) {
            problems.addAll(e.problems());
        }
    }

    public Path root() {
        return root;
    }

    public Path adminKubeconfigFile() {
        return root.resolve(AssetLayout.ADMIN_KUBECONFIG);
    }

    /** Identifies the cluster: SHA-256 of its CA certificate's file, in hexadecimal. */
    public String clusterId() {
        return clusterId;
    }

    /** The static Pod of a temporary component, ready to be written. */
    public Pod temporaryPod(Component component) {
        return TemporaryPod.of(rendered(component), component);
    }

    private Pod rendered(Component component) {
        Pod pod = bootstrapPods.get(component);
        if (pod == null) {
            throw new IllegalStateException("checked when read: " + component);
        }
        return pod;
    }

    /** Whether kubelets of the version to start are known to start slowly, by the tag of the API server's image. */
    public boolean kubeletStartsSlowly() {
        return temporaryPod(Component.API_SERVER).getSpec().getContainers().stream()
                .map(container ->
                        container.getImage().substring(container.getImage().lastIndexOf(':') + 1))
                .flatMap(tag -> KubernetesVersion.parse(tag).stream())
                .filter(version -> VersionFacts.supported().contains(version))
                .anyMatch(version -> VersionFacts.of(version).kubeletStartsSlowly());
    }

    /** The static Pod of a temporary API server that serves on the port of the self-hosted one, as bootkube's does. */
    public Pod temporaryApiServerOn(int port) {
        return TemporaryPod.apiServerOn(port, rendered(Component.API_SERVER));
    }

    /** Name of the component's file in the kubelet's manifest directory: the same as in {@code bootstrap-manifests/}. */
    public static String manifestFileName(Component component) {
        String path = AssetLayout.bootstrapManifest(component);
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** Files of {@code manifests/}, name to text, sorted by name. */
    public Map<String, String> manifests() {
        Map<String, String> files = new TreeMap<>();
        Path directory = root.resolve(AssetLayout.MANIFESTS);
        for (String name : disk.list(directory)) {
            if (name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".json")) {
                disk.readText(directory.resolve(name))
                        .ifPresent(text -> files.put(directory.resolve(name).toString(), text));
            }
        }
        return files;
    }

    /**
     * How nodes get their pod addresses, by the controller manager's flags.
     *
     * @throws ProblemException INVALID_ASSET_DIRECTORY when they cannot be understood
     */
    public NodeCidrs nodeCidrs() {
        Pod pod = temporaryPod(Component.CONTROLLER_MANAGER);
        boolean allocates =
                flag(pod, "allocate-node-cidrs").filter("true"::equals).isPresent();
        Optional<String> ranges = flag(pod, "cluster-cidr");
        if (!allocates || ranges.isEmpty()) {
            return NodeCidrs.none();
        }
        try {
            return NodeCidrs.parse(
                    ranges.get(),
                    flag(pod, "node-cidr-mask-size").map(Integer::valueOf),
                    flag(pod, "node-cidr-mask-size-ipv4").map(Integer::valueOf),
                    flag(pod, "node-cidr-mask-size-ipv6").map(Integer::valueOf));
        } catch (IllegalArgumentException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.INVALID_ASSET_DIRECTORY,
                            root.resolve(AssetLayout.bootstrapManifest(Component.CONTROLLER_MANAGER))
                                    + ": --cluster-cidr",
                            ranges.get() + " cannot be divided among nodes: " + e.getMessage(),
                            "such as 10.2.0.0/16, of which each node gets a /24",
                            "render the assets again"),
                    e);
        }
    }

    private static Optional<String> flag(Pod pod, String name) {
        return TemporaryPod.flag(pod, Component.CONTROLLER_MANAGER, name);
    }

    /** Whether a recovery made the directory: it has what serves, and no more. */
    boolean isRecovered() {
        return disk.status(root.resolve(AssetLayout.RECOVERY)).isPresent();
    }

    /** The objects that a recovery has changed, as in {@code DaemonSet kube-system/kube-apiserver}. */
    Set<String> changedByRecovery() {
        Path marker = root.resolve(AssetLayout.RECOVERY);
        return disk.readText(marker)
                .map(text -> {
                    try {
                        return JsonText.read(text).at("changed").items().stream()
                                .flatMap(name -> name.text().stream())
                                .collect(Collectors.toUnmodifiableSet());
                    } catch (JsonText.MalformedJson e) {
                        throw new ProblemException(
                                new Problem(
                                        ErrorCode.INVALID_ASSET_DIRECTORY,
                                        marker.toString(),
                                        "is not what a recovery wrote: " + e.getMessage(),
                                        "",
                                        "recover again"),
                                e);
                    }
                })
                .orElse(Set.of());
    }

    /** What the temporary components read on the node: relative name to content. */
    public Map<String, byte[]> secrets() {
        Map<String, byte[]> files = new TreeMap<>();
        for (String directory : List.of(AssetLayout.TLS, AssetLayout.AUTH)) {
            for (String name : disk.list(root.resolve(directory))) {
                Path file = root.resolve(directory).resolve(name);
                if (java.nio.file.Files.isRegularFile(file)) {
                    disk.read(file).ifPresent(content -> files.put(name, content));
                }
            }
        }
        Path recovered = root.resolve(AssetLayout.RECOVERED);
        collect(recovered, AssetLayout.baseName(AssetLayout.RECOVERED), files);
        return files;
    }

    /** What a recovery found in the volumes of a control plane, in its directories. */
    private void collect(Path directory, String prefix, Map<String, byte[]> files) {
        for (String name : disk.list(directory)) {
            Path file = directory.resolve(name);
            String relative = prefix + "/" + name;
            if (disk.status(file)
                    .filter(status -> status.kind() == FileStatus.Kind.DIRECTORY)
                    .isPresent()) {
                collect(file, relative, files);
            } else {
                disk.read(file).ifPresent(content -> files.put(relative, content));
            }
        }
    }
}
