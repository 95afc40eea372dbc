package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FreeSpace;
import dev.ouroboros.snapshot.etcd.EtcdFile;
import dev.ouroboros.snapshot.etcd.TrailingDigest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Copies snapshots, with the keys beside them, to a file system that is mounted from elsewhere, so that the loss of all nodes' disks is not theirs. */
public final class SnapshotMirror {
    private final Disk disk;
    private final Path mount;

    /** @param mount where the file system is mounted */
    public SnapshotMirror(Disk disk, Path mount) {
        this.disk = disk;
        this.mount = mount;
    }

    /**
     * Copies a snapshot that is there as it was saved; one that was copied before is not copied again.
     *
     * @param below the mount: the directory of this cluster and node
     * @param retention which copies stay
     * @return where the copy is
     * @throws ProblemException NOT_FOUND when nothing is mounted, DISK when there is no room or the file system does not do, DAMAGED_FILE when the copy is not what was copied
     */
    public Path copy(Path snapshot, Path below, SnapshotName pattern, SnapshotRetention retention) {
        if (!disk.isMount(mount)) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    mount.toString(),
                    "is no mount: a copy there would be on this node's own disk",
                    "a file system from elsewhere, as of NFS, mounted before the steward began",
                    "mount it, then: kubectl -n kube-system rollout restart daemonset/ouroboros-steward");
        }
        Path directory = mount.resolve(below);
        String name = String.valueOf(snapshot.getFileName());
        Path copy = directory.resolve(name);
        disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
        OwnSnapshots own = new OwnSnapshots(disk, directory);
        String sum = OwnSnapshots.endOf(snapshot);
        if (own.states().get(name) == SnapshotList.State.AS_SAVED && sum.equals(OwnSnapshots.endOf(copy))) {
            return copy;
        }
        requireRoom(snapshot, directory);
        own.add(name, sum);
        Path keys = SnapshotName.keysOf(snapshot);
        Optional<byte[]> text = disk.read(keys);
        if (text.isPresent()) {
            disk.write(SnapshotName.keysOf(copy), text.get(), Disk.OWNER_ONLY_FILE);
        }
        disk.copy(snapshot, copy, Disk.OWNER_ONLY_FILE);
        if (!isWhole(copy)) {
            // Left there, it would be taken for a copy by its end.
            disk.delete(copy);
            throw ProblemException.of(
                    ErrorCode.DAMAGED_FILE,
                    copy.toString(),
                    "is not what was copied: its SHA-256 is another",
                    "the same as " + snapshot,
                    "look at that file system; it is copied again");
        }
        own.retain(pattern, retention, name);
        return copy;
    }

    private static boolean isWhole(Path copy) {
        try (EtcdFile file = EtcdFile.open(copy)) {
            return file.digest() == TrailingDigest.RIGHT;
        }
    }

    private void requireRoom(Path snapshot, Path directory) {
        FreeSpace.require(disk, directory, size(snapshot), "the snapshot", "make room, or keep fewer");
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw FileTrouble.of(file, "cannot be read", e);
        }
    }
}
