package dev.ouroboros.snapshot.etcd;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A point in etcd's history.
 *
 * @param main number of the transaction
 * @param sub of a change within it
 */
public record EtcdRevision(long main, long sub) implements Comparable<EtcdRevision> {
    private static final int LENGTH = 17;
    private static final int SEPARATOR_AT = 8;

    /** As etcd writes it: both big-endian with an underscore between; what follows marks a tombstone. */
    static Optional<EtcdRevision> read(byte[] bytes) {
        if (bytes.length < LENGTH || bytes[SEPARATOR_AT] != '_') {
            return Optional.empty();
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        EtcdRevision revision = new EtcdRevision(buffer.getLong(0), buffer.getLong(SEPARATOR_AT + 1));
        return revision.main() < 0 || revision.sub() < 0 ? Optional.empty() : Optional.of(revision);
    }

    /** Whether this revision's record is a deletion. */
    static boolean isTombstone(byte[] bytes) {
        return bytes.length == LENGTH + 1 && bytes[LENGTH] == 't';
    }

    /** Whether these bytes are as long as a revision, with or without the mark. */
    static boolean hasLength(byte[] bytes) {
        return bytes.length == LENGTH || isTombstone(bytes);
    }

    @Override
    public int compareTo(EtcdRevision other) {
        int byMain = Long.compare(main, other.main);
        return byMain != 0 ? byMain : Long.compare(sub, other.sub);
    }
}
