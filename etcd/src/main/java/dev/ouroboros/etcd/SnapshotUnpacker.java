package dev.ouroboros.etcd;

import java.nio.file.Path;

/** Makes a data directory of the snapshot that is restored. */
public interface SnapshotUnpacker {
    /** Whether it raises the revision, and marks what was before as compacted, so that every watch of before has to list again. */
    boolean raisesRevision();

    /**
     * Makes a data directory of one member in a cluster of its own, on the disk when it returns.
     *
     * @param directory which must not be there
     * @param token that no other cluster had: the id of the new one is made of it
     */
    void unpack(Path directory, String token);
}
