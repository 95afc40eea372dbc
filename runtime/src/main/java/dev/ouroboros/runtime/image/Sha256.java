package dev.ouroboros.runtime.image;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A running SHA-256 sum of a blob. */
final class Sha256 {
    private final MessageDigest sum;
    private long size;

    Sha256() {
        try {
            sum = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    void add(byte[] bytes, int offset, int length) {
        sum.update(bytes, offset, length);
        size += length;
    }

    /** Whether all that was added is this blob; to be asked once. */
    boolean isExactly(Descriptor blob) {
        return size == blob.size() && HexFormat.of().formatHex(sum.digest()).equals(blob.hex());
    }
}
