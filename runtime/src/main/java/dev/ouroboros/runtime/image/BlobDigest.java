package dev.ouroboros.runtime.image;

import dev.ouroboros.model.digest.Sha256;
import java.security.MessageDigest;

/** Size and SHA-256 of a blob that comes in pieces. */
final class BlobDigest {
    private final MessageDigest sum = Sha256.begin();
    private long size;

    void add(byte[] bytes, int offset, int length) {
        sum.update(bytes, offset, length);
        size += length;
    }

    /** Whether all that was added is this blob; to be asked once. */
    boolean isExactly(Descriptor blob) {
        return size == blob.size() && Sha256.hex(sum).equals(blob.hex());
    }
}
