package dev.ouroboros.sandbox;

import dev.ouroboros.sandbox.node.Subnet;
import java.time.Instant;
import java.util.Optional;

/**
 * What is decided once for a sandbox, and kept.
 *
 * @param subnet its network
 * @param created when
 * @param kubernetesVersion of its cluster; empty until that is known
 * @param complete whether {@code up} has succeeded once: there is a cluster on its disk
 */
public record SandboxRecord(Subnet subnet, Instant created, Optional<String> kubernetesVersion, boolean complete) {
    public SandboxRecord withKubernetesVersion(String version) {
        return new SandboxRecord(subnet, created, Optional.of(version), complete);
    }

    public SandboxRecord completed() {
        return new SandboxRecord(subnet, created, kubernetesVersion, true);
    }
}
