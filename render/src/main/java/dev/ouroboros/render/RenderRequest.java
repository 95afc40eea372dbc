package dev.ouroboros.render;

import dev.ouroboros.render.config.Settings;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What to render.
 *
 * @param config file with a {@code Cluster} document; relative paths in it start at its directory
 * @param flags settings that win over the document's
 * @param assetDirectory where to write
 * @param overwriteEdited whether files that a person edited are replaced
 */
public record RenderRequest(Optional<Path> config, Settings flags, Path assetDirectory, boolean overwriteEdited) {
    /** From a document alone, keeping edited files. */
    public static RenderRequest ofFile(Path config, Path assetDirectory) {
        return new RenderRequest(Optional.of(config), Settings.builder().build(), assetDirectory, false);
    }
}
