package dev.ouroboros.snapshot.etcd;

import dev.ouroboros.snapshot.bolt.BoltFile;
import dev.ouroboros.snapshot.bolt.DamageException;
import dev.ouroboros.snapshot.bolt.Entry;
import java.nio.charset.StandardCharsets;

/**
 * One change of one key: {@code mvccpb.KeyValue}, whose value stays in the file until it is asked for. The key is not copied:
 * records live for the call that brings them.
 *
 * @param ordinal the how many-th record of the key space this is, from 0
 * @param tombstone whether the key was deleted
 * @param version how many changes the key has had since it was created
 * @param place in the file, for messages
 */
@SuppressWarnings("ArrayRecordComponent") // there are millions, and none is kept
public record KeyRecord(
        long ordinal,
        EtcdRevision revision,
        boolean tombstone,
        byte[] key,
        long createRevision,
        long version,
        long lease,
        long valueOffset,
        int valueLength,
        String place) {
    private static final int LONGEST_KEY = 1 << 20;
    private static final int FIELD_KEY = 1;
    private static final int FIELD_CREATE_REVISION = 2;
    private static final int FIELD_MOD_REVISION = 3;
    private static final int FIELD_VERSION = 4;
    private static final int FIELD_VALUE = 5;
    private static final int FIELD_LEASE = 6;

    /**
     * Whether it is no change of any key: what {@code etcdutl snapshot restore --bump-revision} leaves at the revision that it raises to, a
     * record without a value (etcd 3.6, etcdutl/snapshot/v3_snapshot.go, unsafeBumpBucketsRevision).
     */
    boolean raisesRevision() {
        return key.length == 0;
    }

    public String keyText() {
        return new String(key, StandardCharsets.UTF_8);
    }

    static KeyRecord read(BoltFile file, Entry entry, long ordinal) throws DamageException {
        if (!EtcdRevision.hasLength(entry.key())) {
            throw new DamageException(entry.valueOffset(), "is filed under no revision");
        }
        EtcdRevision revision = EtcdRevision.read(entry.key())
                .orElseThrow(() -> new DamageException(entry.valueOffset(), "is filed under no revision"));
        ValueCursor in = new ValueCursor(file, entry.valueOffset(), entry.valueLength());
        byte[] key = {};
        long created = 0;
        long modified = 0;
        long version = 0;
        long lease = 0;
        long valueOffset = entry.valueOffset();
        int valueLength = 0;
        while (in.next()) {
            switch (in.field()) {
                case FIELD_KEY -> key = in.bytes(LONGEST_KEY);
                case FIELD_CREATE_REVISION -> created = in.number();
                case FIELD_MOD_REVISION -> modified = in.number();
                case FIELD_VERSION -> version = in.number();
                case FIELD_LEASE -> lease = in.number();
                case FIELD_VALUE -> {
                    valueLength = in.skipBytes();
                    valueOffset = in.offset() - valueLength;
                }
                default -> in.skip();
            }
        }
        boolean tombstone = EtcdRevision.isTombstone(entry.key());
        if (key.length == 0 && entry.valueLength() > 0) {
            throw new DamageException(entry.valueOffset(), "has no key");
        }
        if (key.length > 0 && !tombstone && modified != revision.main()) {
            throw new DamageException(
                    entry.valueOffset(), "is of revision " + modified + ", but filed under " + revision.main());
        }
        return new KeyRecord(
                ordinal, revision, tombstone, key, created, version, lease, valueOffset, valueLength, entry.place());
    }
}
