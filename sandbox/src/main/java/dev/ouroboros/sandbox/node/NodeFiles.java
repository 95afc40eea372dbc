package dev.ouroboros.sandbox.node;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.kubelet.KubeletLayout;
import dev.ouroboros.model.kubelet.KubeletScripts;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import dev.ouroboros.render.manifest.KubeletSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

/** Puts files into a node, through the root directory of its process 1. */
public final class NodeFiles {
    private static final String READABLE_FILE = "rw-r--r--";
    private static final String EXECUTABLE_FILE = "rwxr-xr-x";
    private static final String READABLE_DIRECTORY = "rwxr-xr-x";
    /** Paths in the asset directory; without their directory, names below {@link NodeLayout#ETCD_TLS}. */
    private static final List<String> ETCD_FILES = List.of(
            AssetLayout.ETCD_SERVER_CERTIFICATE,
            AssetLayout.ETCD_SERVER_KEY,
            AssetLayout.ETCD_SERVER_CA_CERTIFICATE,
            AssetLayout.ETCD_PEER_CERTIFICATE,
            AssetLayout.ETCD_PEER_KEY,
            AssetLayout.ETCD_PEER_CA_CERTIFICATE);

    private final Disk disk;
    private final RunningNode node;

    public NodeFiles(Disk disk, RunningNode node) {
        this.disk = disk;
        this.node = node;
    }

    /** Copies the administrator's kubeconfig to the host. */
    public void exportKubeconfig(Path target) {
        disk.write(target, asset(AssetLayout.ADMIN_KUBECONFIG).getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
    }

    /** Copies programs to the node's own disk, those that are there already left alone. */
    public void installPrograms(Collection<Path> programs) {
        disk.createDirectories(node.file(NodeLayout.BINARIES), READABLE_DIRECTORY);
        for (Path program : programs) {
            Path target = node.file(NodeLayout.BINARIES).resolve(program.getFileName());
            if (!isCopy(program, target)) {
                disk.copy(program, target, EXECUTABLE_FILE);
            }
        }
    }

    /** Writes the files that set the node's programs up for its cluster. */
    public void installShell() {
        write(NodeShell.ETCDCTL, NodeShell.etcdctl(), EXECUTABLE_FILE);
        write(NodeShell.PROFILE, NodeShell.profile(), READABLE_FILE);
    }

    /**
     * What lets a kubelet join: of the node that has the asset directory.
     *
     * @param authority whose certificates may use the kubelet's API
     * @param bootstrapKubeconfig with the token that it shows
     */
    public record Joining(String authority, String bootstrapKubeconfig) {}

    /** What the asset directory, which this node has, gives to kubelets. */
    public Joining joining() {
        return new Joining(asset(AssetLayout.CA_CERTIFICATE), asset(AssetLayout.KUBELET_KUBECONFIG));
    }

    /** Writes the administrator's kubeconfig of a node that has the asset directory to where this one's shell looks for it. */
    public void installKubeconfigOf(RunningNode withAssets) {
        write(
                NodeLayout.ASSETS.resolve(AssetLayout.ADMIN_KUBECONFIG),
                new NodeFiles(disk, withAssets).asset(AssetLayout.ADMIN_KUBECONFIG),
                Disk.OWNER_ONLY_FILE);
    }

    /** Whether the node's kubelet has joined: it has a certificate of its own. */
    public boolean hasJoined() {
        return has(NodeLayout.KUBECONFIG);
    }

    /** Writes what the kubelet reads at its start, and what starts and guards it. */
    public void installKubelet(KubeletSettings settings, VersionFacts facts, Joining joining) {
        Path layout = Path.of(KubeletLayout.DIRECTORY);
        KubeletScripts.all().forEach((name, text) -> write(layout.resolve(name), text, READABLE_FILE));
        String base = KubeletLayout.path(KubeletLayout.GENERATIONS, KubeletLayout.BASE);
        settings.generation(
                        facts,
                        NodeLayout.BINARIES.resolve(Binary.KUBELET.fileName()).toString())
                .files(base)
                .forEach((name, text) -> write(Path.of(base, name), text, READABLE_FILE));
        write(NodeLayout.CLIENT_CA, joining.authority(), READABLE_FILE);
        write(NodeLayout.BOOTSTRAP_KUBECONFIG, joining.bootstrapKubeconfig(), Disk.OWNER_ONLY_FILE);
    }

    /** The programs that {@link #installPrograms} put there. */
    public List<Path> programs() {
        Path directory = node.file(NodeLayout.BINARIES);
        return disk.list(directory).stream().map(directory::resolve).toList();
    }

    /**
     * Writes etcd's keys, and then its static pod, on a node that never had an etcd. Flags, image, members and keys of one that it has are
     * changed meanwhile, and the asset directory does not know.
     *
     * @param withAssets the node that has the asset directory
     */
    public void installEtcd(EtcdStaticPod etcd, RunningNode withAssets) {
        if (hadEtcd()) {
            return;
        }
        NodeFiles assets = new NodeFiles(disk, withAssets);
        disk.createDirectories(node.file(NodeLayout.ETCD_TLS), Disk.OWNER_ONLY_DIRECTORY);
        for (String file : ETCD_FILES) {
            write(NodeLayout.ETCD_TLS.resolve(AssetLayout.baseName(file)), assets.asset(file), Disk.OWNER_ONLY_FILE);
        }
        write(NodeLayout.ETCD_MANIFEST, etcd.yaml(), Disk.OWNER_ONLY_FILE);
    }

    /** What {@code up} has restored from a snapshot was never run while there is no manifest. */
    private boolean hadEtcd() {
        return has(NodeLayout.ETCD_LEFT)
                || has(NodeLayout.ETCD_MANIFEST)
                || (has(NodeLayout.ETCD_MEMBER) && !has(NodeLayout.ETCD_RESTORED));
    }

    private boolean has(Path inside) {
        return disk.status(node.file(inside)).isPresent();
    }

    /** A copy has the size of its original and was made after it. */
    private static boolean isCopy(Path program, Path target) {
        try {
            return Files.exists(target)
                    && Files.size(target) == Files.size(program)
                    && Files.getLastModifiedTime(target).compareTo(Files.getLastModifiedTime(program)) >= 0;
        } catch (IOException e) {
            throw FileTrouble.of(program, "cannot be looked at", e);
        }
    }

    private String asset(String path) {
        Path file = node.file(NodeLayout.ASSETS).resolve(path);
        return disk.readText(file)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        file.toString(),
                        "is missing",
                        "",
                        "run 'ouro up --name " + node.sandbox().name() + "' again"));
    }

    /** The kubelet restarts a static pod whose file is written again: a file with the same content is left alone. */
    private void write(Path inside, String content, String permissions) {
        Path file = node.file(inside);
        if (!disk.readText(file).map(content::equals).orElse(false)) {
            disk.createDirectories(file.resolveSibling("."), READABLE_DIRECTORY);
            disk.write(file, content.getBytes(StandardCharsets.UTF_8), permissions);
        }
    }
}
