package dev.ouroboros.images.archive;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.util.List;

/**
 * An image of somebody else's, ready for containerd.
 *
 * @param names under which pods find it, complete
 * @param digest of its manifest, which says all of its content
 * @param archive an OCI archive that has it alone, with these names
 */
public record NamedImage(List<String> names, String digest, Path archive) {
    public NamedImage {
        names = List.copyOf(names);
        requireNonNull(digest, "digest");
        requireNonNull(archive, "archive");
    }
}
