package dev.ouroboros.sandbox.up;

import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.recovery.RecoveryDirectory;
import dev.ouroboros.render.cluster.ClusterSpec;
import dev.ouroboros.render.cluster.ClusterSpec.Network;
import java.util.Optional;

/** What a kubelet must know of its cluster, whether that was rendered or recovered. */
record ClusterFacts(KubernetesVersion version, String dnsAddress) {
    static ClusterFacts of(ClusterSpec cluster) {
        return new ClusterFacts(
                cluster.version(), cluster.network().dnsAddress().getHostAddress());
    }

    /** Empty when the directory was not recovered, or not to its end. */
    static Optional<ClusterFacts> of(RecoveryDirectory directory) {
        return directory.facts().map(facts -> {
            KubernetesVersion version = KubernetesVersion.parse(facts.version())
                    .orElseThrow(() -> new IllegalStateException("a recovery says its version: " + facts.version()));
            String firstRange = facts.serviceRange().replaceFirst(",.*", "");
            return new ClusterFacts(
                    version, Network.dnsAddressIn(Cidr.parse(firstRange)).getHostAddress());
        });
    }
}
