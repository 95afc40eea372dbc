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
 * @param milliCpus how much processor time all of it may take, in thousandths of a processor; empty for all that there is
 */
public record SandboxRecord(
        Subnet subnet,
        Instant created,
        Optional<String> kubernetesVersion,
        boolean complete,
        Optional<Integer> milliCpus) {
    public SandboxRecord withKubernetesVersion(String version) {
        return new SandboxRecord(subnet, created, Optional.of(version), complete, milliCpus);
    }

    public SandboxRecord completed() {
        return new SandboxRecord(subnet, created, kubernetesVersion, true, milliCpus);
    }

    public SandboxRecord withMilliCpus(Optional<Integer> limit) {
        return new SandboxRecord(subnet, created, kubernetesVersion, complete, limit);
    }
}
