package dev.ouroboros.recovery;

import dev.ouroboros.model.asset.Asset;
import dev.ouroboros.model.checkpoint.Content;
import java.nio.charset.StandardCharsets;

/**
 * A file of a recovered directory.
 *
 * @param path relative to the directory
 * @param secret whether only its owner may read it
 */
public record AssetFile(String path, Content content, boolean secret) {
    public AssetFile {
        if (path.startsWith("/") || ("/" + path + "/").contains("/../")) {
            throw new IllegalArgumentException("not a path inside of the directory: " + path);
        }
    }

    static AssetFile secret(String path, String text) {
        return new AssetFile(path, Content.of(text.getBytes(StandardCharsets.UTF_8)), true);
    }

    static AssetFile open(String path, String text) {
        return new AssetFile(path, Content.of(text.getBytes(StandardCharsets.UTF_8)), false);
    }

    static AssetFile of(Asset asset) {
        return asset.secret() ? secret(asset.path(), asset.text()) : open(asset.path(), asset.text());
    }
}
