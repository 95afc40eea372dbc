package dev.ouroboros.model.digest;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, in lower-case hexadecimal: 64 digits. */
public final class Sha256 {
    private static final int PIECE = 1 << 16;

    private Sha256() {}

    /** One that is fed piece by piece, and ended by {@link #hex(MessageDigest)}. */
    public static MessageDigest begin() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Of what was fed to it; it begins anew. */
    public static String hex(MessageDigest fed) {
        return HexFormat.of().formatHex(fed.digest());
    }

    public static String hex(byte[] content) {
        return HexFormat.of().formatHex(begin().digest(content));
    }

    /** Of a text in UTF-8. */
    public static String hex(String text) {
        return hex(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Of all that is left of a stream. */
    public static String hex(InputStream content) throws IOException {
        MessageDigest digest = begin();
        byte[] piece = new byte[PIECE];
        for (int read = content.read(piece); read >= 0; read = content.read(piece)) {
            digest.update(piece, 0, read);
        }
        return hex(digest);
    }
}
