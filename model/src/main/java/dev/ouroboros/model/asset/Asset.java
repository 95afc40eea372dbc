package dev.ouroboros.model.asset;

/**
 * A file of an asset directory.
 *
 * @param path relative to the directory
 * @param text its content in UTF-8
 * @param secret whether only its owner may read it
 */
public record Asset(String path, String text, boolean secret) {
    public Asset {
        if (path.startsWith("/") || path.contains("..")) {
            throw new IllegalArgumentException("not a path inside of the asset directory: " + path);
        }
    }

    public static Asset secret(String path, String text) {
        return new Asset(path, text, true);
    }

    public static Asset open(String path, String text) {
        return new Asset(path, text, false);
    }

    /** Does not print the content: it may be a key. */
    @Override
    public String toString() {
        return path + " (" + text.length() + " characters)";
    }
}
