package dev.ouroboros.sandbox.up;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.recovery.RecoveredCluster;
import dev.ouroboros.sandbox.node.Subnet;
import java.nio.file.Path;
import java.util.Collection;
import java.util.TreeSet;

/**
 * A snapshot of which every page and record could be read, and that is of a cluster this sandbox can be.
 *
 * @param sha256 of the file, in hexadecimal
 * @param signed whether it ends with its SHA-256, which etcd's tool can check
 * @param cluster its assets, with new keys for etcd and a token for the new kubelet
 * @param subnet the network that the cluster must have again: its certificates are for the address of its node
 */
record CheckedSnapshot(Path file, String sha256, boolean signed, RecoveredCluster cluster, Subnet subnet) {
    /** @throws ProblemException UNSUPPORTED_VERSION when the node could not get an image that the control plane runs */
    void requireImages(Collection<String> built) {
        TreeSet<String> missing = new TreeSet<>(cluster.images());
        missing.removeAll(built);
        if (!missing.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.UNSUPPORTED_VERSION,
                    file.toString(),
                    "the cluster runs images that this machine's binaries do not make: " + missing,
                    "one of " + new TreeSet<>(built),
                    "give the same --binaries as the cluster was made with");
        }
    }
}
