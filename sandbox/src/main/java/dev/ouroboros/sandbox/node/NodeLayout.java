package dev.ouroboros.sandbox.node;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.render.manifest.CniSettings;
import dev.ouroboros.render.manifest.ContainerdSettings;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import java.nio.file.Path;
import java.util.Map;

/** Where things are inside a node: the places that a real host has them in. */
public final class NodeLayout {
    public static final Path MANIFESTS = Path.of("/etc/kubernetes/manifests");
    public static final Path ASSETS = Path.of(StateLayout.path("assets"));
    /** Binaries on the node's own disk: kubelet, kubectl, etcdctl. */
    public static final Path BINARIES = Path.of(StateLayout.path("bin"));
    /** Our scripts of the same names, which come first on the PATH. */
    static final Path WRAPPERS = Path.of(StateLayout.path("wrappers"));

    public static final Path CONTAINERD_CONFIG = Path.of("/etc/containerd/config.toml");
    public static final Path CONTAINERD_SOCKET = Path.of(ContainerdSettings.SOCKET);
    public static final Path CONTAINERD_STORE = Path.of(ContainerdSettings.STORE);
    public static final Path CNI_TEMPLATE = Path.of(CniSettings.TEMPLATE);

    /** Programs that process 1 keeps running, one script a service. */
    public static final Path SERVICES = Path.of("/etc/ouroboros/services");

    public static final Path KUBELET_SERVICE = SERVICES.resolve("kubelet");
    /** A named pipe: process 1 reads its orders from it. It appears when the node is laid out. */
    public static final Path CONTROL = Path.of("/run/ouroboros/control");
    /** A named pipe of the kubelet's guard. */
    static final Path GUARD_PAUSE = Path.of("/run/ouroboros/pause");
    /** The file system of the node's disk; {@code /var}, {@code /tmp} and what the node changes of the host's files are on it. */
    public static final Path DISK = Path.of("/run/ouroboros/disk");
    /** When the kubelet was started since the node booted, a line each. */
    public static final Path KUBELET_STARTS = Path.of("/run/ouroboros/kubelet.starts");
    /** The host's files as they are now, read-only. */
    public static final Path HOST = Path.of("/run/ouroboros/host");

    /** What a command in the node finds in its environment. */
    static final Map<String, String> ENVIRONMENT = Map.of(
            "PATH",
            WRAPPERS + ":" + BINARIES + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "KUBECONFIG",
            ASSETS.resolve(AssetLayout.ADMIN_KUBECONFIG).toString(),
            "CONTAINERD_NAMESPACE",
            "k8s.io");

    public static final Path CLIENT_CA = Path.of("/etc/kubernetes/ca.crt");
    public static final Path BOOTSTRAP_KUBECONFIG = Path.of("/etc/kubernetes/kubeconfig-kubelet");
    public static final Path KUBECONFIG = Path.of("/var/lib/kubelet/kubeconfig");
    public static final Path RESOLV_CONF = Path.of("/etc/resolv.conf");
    public static final Path ETCD_MANIFEST = MANIFESTS.resolve("etcd.yaml");
    public static final Path ETCD_DATA = Path.of(EtcdStaticPod.DEFAULT_DATA_DIRECTORY);
    /** In which etcd has everything, once it was started or restored. */
    static final Path ETCD_MEMBER = ETCD_DATA.resolve("member");
    /** A restore in the making; renamed when it is whole. */
    public static final Path ETCD_RESTORING = Path.of(EtcdStaticPod.DEFAULT_DATA_DIRECTORY + ".restoring");
    /** SHA-256 of the snapshot that the assets are of, if they are of one. */
    public static final Path RECOVERED_FROM = Path.of(StateLayout.path("recovered-from"));
    /** When etcd was restored from a snapshot, if it was, and the SHA-256 of that. */
    public static final Path ETCD_RESTORED = Path.of(StateLayout.path("etcd-restored"));

    /** There where the node's member of etcd has left. */
    public static final Path ETCD_LEFT = Path.of(StateLayout.path(StateLayout.ETCD_LEFT));

    public static final Path ETCD_TLS = Path.of(EtcdStaticPod.DEFAULT_TLS_DIRECTORY);
    public static final Path HOST_NAME = Path.of("/etc/hostname");
    /** The node's logs, the only part of its host directory that it sees. */
    private static final Path LOGS = Path.of("/run/ouroboros/logs");
    /** What the last {@code ouro start} did, as JSON, beside the logs. */
    public static final Path START_REPORT = LOGS.resolve("start-report.json");

    /** Tells the node's process 1 to end the kubelet, which it then starts again. */
    public static final String RESTART_KUBELET = "echo restart kubelet >/run/ouroboros/control";

    public static final Path POD_LOGS = Path.of("/var/log/pods");

    private NodeLayout() {}

    /**
     * Where a node finds a file of the host as the host has it now. At the file's own path the node may have another file, and of a host
     * file that it shows there the kernel may remember an older content.
     */
    public static Path ofHostFile(Path file) {
        return HOST.resolve(
                Path.of("/").relativize(file.toAbsolutePath().normalize()).toString());
    }
}
