package dev.ouroboros.sandbox.up;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.recovery.RecoveryDirectory;
import dev.ouroboros.sandbox.SandboxName;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.RunningNode;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

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
     * @throws ProblemException BAD_USAGE when it has a cluster that was rendered, or one of another snapshot
     */
    RecoveryDirectory write(CheckedSnapshot snapshot, SandboxEtcdRestore etcd) {
        if (disk.read(node.file(NodeLayout.ASSETS).resolve(AssetLayout.LEDGER)).isPresent()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--snapshot",
                    "another cluster was rendered in sandbox " + sandbox,
                    "a name that is free",
                    "take it down first (ouro down --name " + sandbox + ")");
        }
        if (directory.isComplete()) {
            requireSame(disk.readText(node.file(NodeLayout.RECOVERED_FROM)).map(String::strip), snapshot);
        } else {
            disk.createDirectories(node.file(NodeLayout.ASSETS), Disk.OWNER_ONLY_DIRECTORY);
            disk.write(
                    node.file(NodeLayout.RECOVERED_FROM),
                    (snapshot.sha256() + "\n").getBytes(StandardCharsets.UTF_8),
                    Disk.OWNER_ONLY_FILE);
            directory.write(snapshot.cluster().files());
        }
        requireSame(etcd.restoredFrom(node), snapshot);
        return directory;
    }

    /** Assets of one and an etcd of another would be a cluster that nobody had. */
    private void requireSame(Optional<String> known, CheckedSnapshot snapshot) {
        if (known.filter(sum -> !sum.equals(snapshot.sha256())).isPresent()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--snapshot",
                    "the recovery of sandbox " + sandbox + " from another snapshot (SHA-256 " + known.orElse("")
                            + ") has begun",
                    "the same file",
                    "give that file, or take it down first (ouro down --name " + sandbox + ")");
        }
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
