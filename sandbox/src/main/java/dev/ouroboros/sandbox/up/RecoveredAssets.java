package dev.ouroboros.sandbox.up;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.recovery.RecoveredCluster;
import dev.ouroboros.recovery.RecoveryDirectory;
import dev.ouroboros.sandbox.SandboxName;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.RunningNode;

/** The asset directory of a node whose cluster comes back from a snapshot: written once, and never over another cluster's. */
final class RecoveredAssets {
    private final Disk disk;
    private final SandboxName sandbox;
    private final RunningNode node;
    private final RecoveryDirectory directory;

    RecoveredAssets(Disk disk, SandboxName sandbox, RunningNode node) {
        this.disk = disk;
        this.sandbox = sandbox;
        this.node = node;
        this.directory = new RecoveryDirectory(disk, node.file(NodeLayout.ASSETS));
    }

    RecoveryDirectory directory() {
        return directory;
    }

    /**
     * Writes the assets once: the keys that were made stay, however often up is killed.
     *
     * @throws ProblemException BAD_USAGE when it has a cluster that was rendered
     */
    RecoveryDirectory write(RecoveredCluster cluster) {
        if (disk.read(node.file(NodeLayout.ASSETS).resolve(AssetLayout.LEDGER)).isPresent()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--snapshot",
                    "another cluster was rendered in sandbox " + sandbox,
                    "a name that is free",
                    "take it down first (ouro down --name " + sandbox + ")");
        }
        if (!directory.isComplete()) {
            directory.write(cluster.files());
        }
        return directory;
    }

    /**
     * An empty etcd in the place of the lost one would be a loss that nobody sees.
     *
     * @throws ProblemException BAD_USAGE when a recovery was written, and its etcd was not restored
     */
    void requireRestored(SandboxEtcdRestore etcd) {
        if (directory.isComplete() && etcd.restored(node).isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "ouro up",
                    "the recovery of sandbox " + sandbox + " was interrupted before its etcd was restored",
                    "--snapshot with the same file",
                    "run ouro up again with --snapshot FILE --encryption-config FILE as before, or take it down: ouro down --name "
                            + sandbox);
        }
    }
}
