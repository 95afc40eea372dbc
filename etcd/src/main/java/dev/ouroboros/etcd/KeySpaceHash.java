package dev.ouroboros.etcd;

import dev.ouroboros.snapshot.etcd.EtcdFile;
import dev.ouroboros.snapshot.etcd.LiveRecords;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The hash of a key space as a server has it and as a file has it.
 *
 * @param theirs as the server says (etcd's HashKV)
 * @param ours as read from the file
 */
record KeySpaceHash(long theirs, long ours) {
    /**
     * Compares at one revision.
     *
     * @param longest how long the server may take: it reads its whole database
     * @throws IOException when the server does not say it
     */
    static KeySpaceHash at(long revision, EtcdConnection server, Duration longest, Path file) throws IOException {
        EtcdConnection.KeySpace theirs = server.keySpaceAt(revision, longest);
        try (EtcdFile etcd = EtcdFile.open(file)) {
            return new KeySpaceHash(
                    theirs.hash(),
                    etcd.keySpaceHash(
                            revision, theirs.compacted(), LiveRecords.find(etcd, revision, LiveRecords.tableBytes())));
        }
    }

    boolean agrees() {
        return theirs == ours;
    }
}
