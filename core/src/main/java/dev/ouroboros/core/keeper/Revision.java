package dev.ouroboros.core.keeper;

/**
 * Names the content of a checkpoint: equal revisions are equal manifests with equal files. Survives restarts and is the name of a
 * directory.
 *
 * @param digest lower-case hexadecimal
 */
public record Revision(String digest) {
    public Revision {
        if (!digest.matches("[0-9a-f]{8,64}")) {
            throw new IllegalArgumentException("'" + digest + "' is no revision");
        }
    }

    @Override
    public String toString() {
        return digest;
    }
}
