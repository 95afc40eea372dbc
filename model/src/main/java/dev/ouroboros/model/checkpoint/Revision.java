package dev.ouroboros.model.checkpoint;

/**
 * Names the content of a checkpoint: equal revisions are equal manifests with equal files. Survives restarts and is the name of a
 * directory.
 *
 * @param digest lower-case hexadecimal
 */
public record Revision(String digest) {
    private static final int SHORTEST = 8;
    private static final int WHOLE = 64;

    public Revision {
        if (digest.length() < SHORTEST || digest.length() > WHOLE || !isHexadecimal(digest)) {
            throw new IllegalArgumentException("'" + digest + "' is no revision");
        }
    }

    /** Whether a text is a whole digest, as those of all checkpoints are. */
    public static boolean isWhole(String digest) {
        return digest.length() == WHOLE && isHexadecimal(digest);
    }

    /** As {@code [0-9a-f]*}; called too often to use a regular expression. */
    private static boolean isHexadecimal(String digest) {
        return digest.chars().allMatch(digit -> (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f'));
    }

    @Override
    public String toString() {
        return digest;
    }
}
