package dev.ouroboros.host.decide;

import dev.ouroboros.model.version.KubernetesVersion;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a host is to become.
 *
 * @param role of the node
 * @param nodeName name of its Node
 * @param nodeAddress its address, for the kubelet and for etcd
 * @param version of its kubelet
 * @param clusterDns address of the cluster's DNS
 * @param clusterDomain of its names
 * @param pool what else its cluster wants of it
 * @param podNetwork whether pods get a network; false where an add-on does that
 * @param cgroupDriver for the kubelet and containerd
 * @param mayLowerOomScore see {@link dev.ouroboros.render.manifest.ContainerdSettings}
 * @param resolvConf resolver configuration for pods, where the host's own is of no use to them
 * @param pauseImage image of every pod's first container
 * @param etcdImage image of etcd, on a control-plane node
 * @param assets the files that this role needs, by the paths that they have in an asset directory
 * @param registryFiles how containerd pulls images: {@link HostFiles#registryFiles}, or those of before
 * @param programs to copy: source paths by name
 */
public record HostSettings(
        Role role,
        String nodeName,
        InetAddress nodeAddress,
        KubernetesVersion version,
        InetAddress clusterDns,
        String clusterDomain,
        NodePool pool,
        boolean podNetwork,
        CgroupDriver cgroupDriver,
        boolean mayLowerOomScore,
        Optional<String> resolvConf,
        String pauseImage,
        String etcdImage,
        Map<String, String> assets,
        Map<String, String> registryFiles,
        Map<String, String> programs) {
    /** What the node is for. */
    public enum Role {
        /** It has etcd, and {@code ouro start} is run on it. */
        CONTROL_PLANE,
        /** It joins a cluster that is there. */
        WORKER
    }

    /** Debian's names; the kubelet and kube-proxy call iptables and conntrack, the front nft. */
    public static final List<String> PACKAGES = List.of(
            "conntrack",
            "containerd",
            "containernetworking-plugins",
            "iproute2",
            "iptables",
            "kmod",
            "mount",
            "nftables",
            "runc",
            "util-linux");

    public HostSettings {
        assets = Map.copyOf(assets);
        registryFiles = Map.copyOf(registryFiles);
        programs = Map.copyOf(programs);
    }

    String asset(String path) {
        return Optional.ofNullable(assets.get(path))
                .orElseThrow(() -> new IllegalStateException("asset " + path + " was not read"));
    }
}
