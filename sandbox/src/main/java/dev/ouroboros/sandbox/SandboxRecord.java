package dev.ouroboros.sandbox;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.sandbox.node.Subnet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What is decided once for a sandbox, and kept.
 *
 * @param subnet its network
 * @param created when
 * @param kubernetesVersion of its cluster; empty until that is known
 * @param complete whether {@code up} has succeeded once: there is a cluster on its disk
 * @param milliCpus how much processor time all of it may take, in thousandths of a processor; empty for all that there is
 * @param nodes at least the first one, which comes first
 */
public record SandboxRecord(
        Subnet subnet,
        Instant created,
        Optional<String> kubernetesVersion,
        boolean complete,
        Optional<Integer> milliCpus,
        List<NodeRecord> nodes) {
    public SandboxRecord {
        nodes = List.copyOf(nodes);
        if (nodes.isEmpty()) {
            throw new IllegalArgumentException("a sandbox has a node");
        }
    }

    public SandboxRecord withKubernetesVersion(String version) {
        return new SandboxRecord(subnet, created, Optional.of(version), complete, milliCpus, nodes);
    }

    public SandboxRecord completed() {
        return new SandboxRecord(subnet, created, kubernetesVersion, true, milliCpus, nodes);
    }

    public SandboxRecord withMilliCpus(Optional<Integer> limit) {
        return new SandboxRecord(subnet, created, kubernetesVersion, complete, limit, nodes);
    }

    /**
     * With one more node, at the lowest address that is free.
     *
     * @param etcd whether it is to run a member of etcd
     * @throws ProblemException BAD_USAGE when the name or every address is taken
     */
    SandboxRecord withNode(String name, boolean etcd) {
        if (nodes.stream().anyMatch(node -> node.name().equals(name))) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "node " + name,
                    "is there already",
                    "a name that is free",
                    "choose another; 'ouro nodes' lists them");
        }
        int number = IntStream.rangeClosed(Subnet.FIRST_NODE, Subnet.LAST_NODE)
                .filter(candidate -> nodes.stream().noneMatch(node -> node.number() == candidate))
                .findFirst()
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.BAD_USAGE,
                        "node " + name,
                        "every address of " + subnet.network() + " is taken",
                        "",
                        "remove a node first: ouro node remove NODE"));
        List<NodeRecord> more = new ArrayList<>(nodes);
        more.add(new NodeRecord(name, number, etcd));
        return new SandboxRecord(subnet, created, kubernetesVersion, complete, milliCpus, more);
    }

    /** Without this node, which is not the first. */
    SandboxRecord withoutNode(String name) {
        List<NodeRecord> fewer =
                nodes.stream().filter(node -> !node.name().equals(name)).toList();
        return new SandboxRecord(subnet, created, kubernetesVersion, complete, milliCpus, fewer);
    }
}
