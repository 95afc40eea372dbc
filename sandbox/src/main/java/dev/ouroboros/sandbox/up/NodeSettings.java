package dev.ouroboros.sandbox.up;

import dev.ouroboros.render.cluster.ClusterSpec;
import dev.ouroboros.render.manifest.KubeletSettings;
import dev.ouroboros.sandbox.node.NodeLayout;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** How a sandbox's kubelet differs from that of any node. */
final class NodeSettings {
    private static final String KUBELET_ROOT = "/var/lib/kubelet";

    private NodeSettings() {}

    /**
     * @param cgroupRoot the node's control group, in which its pods are to be
     */
    static KubeletSettings kubelet(ClusterFacts cluster, String node, String address, String cgroupRoot, String pause) {
        return new KubeletSettings(
                node,
                address,
                cluster.dnsAddress(),
                ClusterSpec.CLUSTER_DOMAIN,
                NodeLayout.CLIENT_CA.toString(),
                NodeLayout.MANIFESTS.toString(),
                "unix://" + NodeLayout.CONTAINERD_SOCKET,
                "cgroupfs",
                Optional.of(cgroupRoot),
                KUBELET_ROOT,
                NodeLayout.BOOTSTRAP_KUBECONFIG.toString(),
                NodeLayout.KUBECONFIG.toString(),
                pause,
                Optional.of(NodeLayout.RESOLV_CONF.toString()),
                new TreeMap<>(),
                // Images come from no registry, so none that is removed could be had again: 100 turns the collection
                // off.
                // Plugins for volumes are looked for in a directory that the kubelet makes: below /usr those of the
                // host
                // would be found.
                Map.of("imageGCHighThresholdPercent", 100, "volumePluginDir", KUBELET_ROOT + "/volume-plugins"),
                new TreeMap<>());
    }
}
