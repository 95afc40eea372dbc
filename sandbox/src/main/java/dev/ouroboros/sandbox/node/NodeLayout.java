package dev.ouroboros.sandbox.node;

import dev.ouroboros.core.asset.AssetLayout;
import java.nio.file.Path;
import java.util.Map;

/** Where things are inside a node: the places that a real host has them in. */
public final class NodeLayout {
    public static final Path MANIFESTS = Path.of("/etc/kubernetes/manifests");
    public static final Path ASSETS = Path.of("/var/lib/ouroboros/assets");
    /** Binaries on the node's own disk: kubelet, kubectl, etcdctl. */
    public static final Path BINARIES = Path.of("/var/lib/ouroboros/bin");

    public static final Path CONTAINERD_CONFIG = Path.of("/etc/containerd/config.toml");
    public static final Path CONTAINERD_SOCKET = Path.of("/run/containerd/containerd.sock");
    public static final Path CNI_CONFIG = Path.of("/etc/cni/net.d/10-ouroboros.conflist");
    public static final Path CNI_PLUGINS = Path.of("/usr/lib/cni");

    /** Programs that process 1 keeps running, one script a service. */
    public static final Path SERVICES = Path.of("/etc/ouroboros/services");
    /** A named pipe: process 1 reads its orders from it. It appears when the node is laid out. */
    public static final Path CONTROL = Path.of("/run/ouroboros/control");
    /** The host's directories that the node hides. */
    public static final Path HOST = Path.of("/run/ouroboros/host");

    /** What a command in the node finds in its environment. */
    static final Map<String, String> ENVIRONMENT = Map.of(
            "PATH",
            BINARIES + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "KUBECONFIG",
            ASSETS.resolve(AssetLayout.ADMIN_KUBECONFIG).toString(),
            "CONTAINERD_NAMESPACE",
            "k8s.io",
            "ETCDCTL_API",
            "3",
            "ETCDCTL_ENDPOINTS",
            "https://127.0.0.1:2379",
            "ETCDCTL_CACERT",
            ASSETS.resolve(AssetLayout.ETCD_CA_CERTIFICATE).toString(),
            "ETCDCTL_CERT",
            ASSETS.resolve(AssetLayout.ETCD_CLIENT_CERTIFICATE).toString(),
            "ETCDCTL_KEY",
            ASSETS.resolve(AssetLayout.ETCD_CLIENT_KEY).toString());

    private NodeLayout() {}

    /** Where a file of the host is found from inside a node, which has its own /var, /tmp and /etc. */
    public static Path ofHostFile(Path file) {
        Path absolute = file.toAbsolutePath().normalize();
        for (String hidden : new String[] {"/var", "/tmp", "/etc"}) {
            if (absolute.startsWith(hidden)) {
                return HOST.resolve(absolute.toString().substring(1));
            }
        }
        return absolute;
    }
}
