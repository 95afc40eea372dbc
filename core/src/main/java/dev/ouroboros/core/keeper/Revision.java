package dev.ouroboros.core.keeper;

import java.util.regex.Pattern;

/**
 * Names the content of a checkpoint: equal revisions are equal manifests with equal files. Survives restarts and is the name of a
 * directory.
 *
 * @param digest lower-case hexadecimal
 */
public record Revision(String digest) {
    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{8,64}");

    public Revision {
        if (!DIGEST.matcher(digest).matches()) {
            throw new IllegalArgumentException("'" + digest + "' is no revision");
        }
    }

    @Override
    public String toString() {
        return digest;
    }
}
