package dev.ouroboros.snapshot.etcd;

import dev.ouroboros.snapshot.bolt.BoltFile;
import dev.ouroboros.snapshot.bolt.DamageException;
import dev.ouroboros.snapshot.bolt.Entry;
import java.util.zip.CRC32C;

/** Adds up {@link StatusFigures}. */
final class StatusSum {
    private final BoltFile file;
    private final CRC32C hash = new CRC32C();
    private long revision;
    private long entries;

    StatusSum(BoltFile file) {
        this.file = file;
    }

    void bucket(byte[] name) {
        hash.update(name);
    }

    void entry(Entry entry) throws DamageException {
        hash.update(entry.key());
        if (!entry.bucket()) {
            file.each(entry.valueOffset(), entry.valueLength(), hash::update);
        }
        entries++;
    }

    void revision(EtcdRevision seen) {
        revision = Math.max(revision, seen.main());
    }

    StatusFigures figures() {
        return new StatusFigures(hash.getValue(), revision, entries);
    }
}
