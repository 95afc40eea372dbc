package dev.ouroboros.images.release;

import dev.ouroboros.model.problem.FileTrouble;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A checksum that a project publishes beside its files.
 *
 * @param algorithm as the JDK names it: SHA-256 or SHA-512
 * @param value in lower-case hexadecimal digits
 */
record Checksum(String algorithm, String value) {
    private static final Pattern LINE =
            Pattern.compile("(?m)^([0-9a-fA-F]{64}|[0-9a-fA-F]{128})(?:[ \\t]+\\*?(\\S+))?[ \\t\\r]*$");

    Checksum {
        value = value.toLowerCase(Locale.ROOT);
    }

    /** From a file that holds a checksum alone, or lines as sha256sum prints them, of which the one for {@code name} counts. */
    static Optional<Checksum> parse(String text, String name) {
        Matcher line = LINE.matcher(text);
        while (line.find()) {
            String of = line.group(2);
            if (of == null || of.equals(name)) {
                String value = line.group(1);
                return Optional.of(new Checksum(value.length() == 64 ? "SHA-256" : "SHA-512", value));
            }
        }
        return Optional.empty();
    }

    boolean matches(Path file) {
        return of(file).equals(value);
    }

    /** The checksum that a file has. */
    String of(Path file) {
        try {
            MessageDigest digest = MessageDigest.getInstance(algorithm);
            try (InputStream content = new DigestInputStream(Files.newInputStream(file), digest)) {
                content.transferTo(java.io.OutputStream.nullOutputStream());
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (IOException e) {
            throw FileTrouble.of(file, "cannot be read", e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has " + algorithm, e);
        }
    }
}
