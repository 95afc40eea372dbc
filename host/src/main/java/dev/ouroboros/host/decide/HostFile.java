package dev.ouroboros.host.decide;

/**
 * A file that a prepared host has.
 *
 * @param path absolute
 * @param permissions as in {@code ls -l}
 * @param purpose for people, in a few words
 */
public record HostFile(String path, String permissions, Content content, String purpose) {
    public static final String READABLE = "rw-r--r--";
    public static final String SECRET = "rw-------";
    public static final String PROGRAM = "rwxr-xr-x";

    /** Where its bytes come from. */
    public sealed interface Content {
        record Text(String value) implements Content {}

        /** @param source a program on this machine, to be copied */
        record Copy(String source) implements Content {}
    }

    public HostFile {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("not an absolute path: " + path);
        }
    }

    static HostFile readable(String path, String purpose, String text) {
        return new HostFile(path, READABLE, new Content.Text(text), purpose);
    }

    static HostFile secret(String path, String purpose, String text) {
        return new HostFile(path, SECRET, new Content.Text(text), purpose);
    }
}
