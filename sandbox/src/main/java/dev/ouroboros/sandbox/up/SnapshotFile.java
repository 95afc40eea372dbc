package dev.ouroboros.sandbox.up;

import dev.ouroboros.etcd.EtcdRestorer;
import dev.ouroboros.etcd.SnapshotCheck;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.recovery.RecoveredCluster;
import dev.ouroboros.recovery.Recovery;
import dev.ouroboros.recovery.RecoveryRequest;
import dev.ouroboros.recovery.SnapshotObjectSource;
import dev.ouroboros.sandbox.SandboxName;
import dev.ouroboros.sandbox.node.Subnet;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is left of a cluster that a sandbox is to be made of.
 *
 * @param file an etcd snapshot
 * @param keys for what is encrypted in it
 * @param workloads which one runs a component of the control plane, where several do
 */
public record SnapshotFile(Path file, EncryptionConfiguration keys, Map<Component, String> workloads) {
    /**
     * Reads all of the snapshot, so that nothing is made of one that is of no use.
     *
     * @throws ProblemException with every damage, or with everything that stands in the way
     */
    CheckedSnapshot check(SandboxName name, InstantSource clock) {
        boolean signed = SnapshotCheck.requireWhole(file);
        RecoveredCluster cluster = recover(clock);
        return new CheckedSnapshot(file, EtcdRestorer.sha256(file), signed, cluster, requireFits(cluster, name));
    }

    /**
     * The cluster's assets, with new keys for etcd and a token for the new kubelet.
     *
     * @throws ProblemException with everything that stands in the way
     */
    private RecoveredCluster recover(InstantSource clock) {
        return new Recovery(clock, new SecureRandom())
                .of(
                        SnapshotObjectSource.read(file, keys, file.toString()),
                        new RecoveryRequest(Optional.empty(), Optional.empty(), true, true, workloads, Map.of()));
    }

    /**
     * The network that the cluster must have again: its certificates are for the address of its node.
     *
     * @throws ProblemException UNSUPPORTED_CLUSTER when a sandbox of this name cannot be this cluster
     */
    Subnet requireFits(RecoveredCluster cluster, SandboxName name) {
        List<Problem> problems = new ArrayList<>();
        Optional<Subnet> subnet = Subnet.ofNode(String.valueOf(cluster.server().getHost()));
        if (subnet.isEmpty()) {
            problems.add(problem(
                    "its API is reached at " + cluster.server(),
                    "a cluster of a sandbox, whose node has an address as 10.77.0.2",
                    "on its own machines it is recovered by 'ouro recover' and 'ouro start'"));
        }
        if (!cluster.nodes().isEmpty() && !cluster.nodes().contains(name.node())) {
            problems.add(problem(
                    "its nodes are " + cluster.nodes(),
                    "the first node of this sandbox, " + name.node(),
                    cluster.nodes().size() == 1
                            ? "give --name " + cluster.nodes().getFirst()
                            : "recover it on machines of your own: ouro recover, then ouro start on its node"));
        }
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        return subnet.orElseThrow();
    }

    private Problem problem(String what, String expected, String next) {
        return new Problem(ErrorCode.UNSUPPORTED_CLUSTER, file.toString(), what, expected, next);
    }
}
