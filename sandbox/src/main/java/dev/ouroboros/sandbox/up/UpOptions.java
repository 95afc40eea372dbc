package dev.ouroboros.sandbox.up;

import dev.ouroboros.images.binary.BinarySource;
import dev.ouroboros.model.registry.RegistryAccess;
import dev.ouroboros.model.start.Phase;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxNode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a person asks of {@code ouro up}.
 *
 * @param source where binaries come from; empty for what the machine can get
 * @param kubernetesVersion empty for the one that the source has
 * @param installAllowed whether missing Debian packages may be installed
 * @param timeout how long a phase of the pivot may take
 * @param start false to stop before the pivot, with a node that runs a kubelet and etcd
 * @param snapshot what the cluster is to be made of; empty for a new one
 * @param registryAccess how the node's containerd is to pull images; where it says nothing, what was said before stays
 * @param cpuLimit for all of the sandbox; empty for that of before
 * @param controlPlanes how many control-plane nodes there are to be, at least
 * @param workers how many nodes there are to be besides these, at least; empty for those that there are
 * @param layers that a new sandbox manages, {@code 2-4} or {@code 1-4}; one that is there keeps its own
 * @param ouro the command line that runs this very {@code ouro} with further arguments inside a node
 */
public record UpOptions(
        Optional<BinarySource> source,
        Optional<String> kubernetesVersion,
        boolean installAllowed,
        Duration timeout,
        boolean start,
        Optional<SnapshotFile> snapshot,
        RegistryAccess registryAccess,
        Optional<CpuLimit> cpuLimit,
        int controlPlanes,
        Optional<Integer> workers,
        String layers,
        List<String> ouro) {
    /** What is left to say and to clean up when the last phase has taken all of its time. */
    private static final Duration SLACK = Duration.ofMinutes(5);

    public UpOptions {
        ouro = List.copyOf(ouro);
    }

    /** An {@code ouro start} that takes longer than this hangs: it ends by itself when a phase takes longer than it may. */
    Duration startLimit() {
        return timeout.multipliedBy(Phase.values().length).plus(SLACK);
    }

    /** How many members etcd begins with: of an even number the last one would only be one more that can fail. */
    int etcdMembers() {
        return controlPlanes - (controlPlanes + 1) % 2;
    }

    /** How many of the nodes that were asked for are not there. */
    int missingNodes(Sandbox sandbox) {
        int withEtcd = (int)
                sandbox.nodes().stream().filter(SandboxNode::beganWithEtcd).count();
        return Math.max(
                0,
                workers.orElse(0)
                        + Math.max(controlPlanes, withEtcd)
                        - sandbox.nodes().size());
    }
}
