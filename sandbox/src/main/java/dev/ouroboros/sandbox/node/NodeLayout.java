package dev.ouroboros.sandbox.node;

import java.nio.file.Path;

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
