package dev.ouroboros.snapshot.etcd;

import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.snapshot.bolt.BoltFile;
import dev.ouroboros.snapshot.bolt.DamageException;
import java.security.MessageDigest;
import java.util.HexFormat;

/** The SHA-256 that {@code etcdctl snapshot save} puts behind the database; a file of a data directory has none. */
public enum TrailingDigest {
    /** There is one, and it is that of the database. */
    RIGHT,
    /** There is one, and it is another: the file was changed after it was saved. */
    WRONG,
    /** By its length, this is no snapshot, or one that was cut off. */
    ABSENT;

    private static final int LENGTH = 32;
    /** As etcd tells: a database is a multiple of this. */
    private static final int SECTOR = 512;

    static TrailingDigest of(BoltFile file) {
        if (file.fileSize() % SECTOR != LENGTH) {
            return ABSENT;
        }
        long length = file.fileSize() - LENGTH;
        try {
            MessageDigest digest = Sha256.begin();
            file.each(0, length, digest::update);
            byte[] computed = digest.digest();
            byte[] stated = file.bytes(length, LENGTH);
            if (MessageDigest.isEqual(computed, stated)) {
                return RIGHT;
            }
            file.damages()
                    .add(
                            "offset " + length,
                            "the snapshot's SHA-256 is " + HexFormat.of().formatHex(computed) + ", not "
                                    + HexFormat.of().formatHex(stated) + " as it states",
                            "a file as etcd saved it; whatever its structure allows can still be read, but values may be wrong");
            return WRONG;
        } catch (DamageException e) {
            throw new IllegalStateException("within the file's length", e);
        }
    }
}
