package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.digest.Sha256;
import java.util.Arrays;

/** The bytes of a file; immutable, equal when the bytes are, and never part of a log line. */
public final class Content {
    private final byte[] bytes;

    private Content(byte[] bytes) {
        this.bytes = bytes;
    }

    public static Content of(byte[] bytes) {
        return new Content(bytes.clone());
    }

    public byte[] bytes() {
        return bytes.clone();
    }

    /** SHA-256 in lower-case hexadecimal. */
    public String digest() {
        return Sha256.hex(bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Content that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Length and digest only: the content may be a key. */
    @Override
    public String toString() {
        return bytes.length + " bytes, sha256:" + digest();
    }
}
