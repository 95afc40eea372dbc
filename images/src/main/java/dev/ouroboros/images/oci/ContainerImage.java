package dev.ouroboros.images.oci;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;

/**
 * An image in the cache, as an archive that {@code ctr images import} and {@code docker load} read.
 *
 * @param component what it is for
 * @param tag version of the component
 * @param key the first digits of the SHA-256 of all that went into it
 * @param origin where its binaries came from, for people
 * @param archive the file
 * @param bytes size of the file
 */
public record ContainerImage(BuiltImage component, String tag, String key, String origin, Path archive, long bytes) {
    public ContainerImage {
        requireNonNull(component, "component");
        requireNonNull(tag, "tag");
        requireNonNull(key, "key");
        requireNonNull(origin, "origin");
        requireNonNull(archive, "archive");
    }

    /** The name that pods use. */
    public String reference() {
        return component.reference(tag);
    }

    /** A second name in the archive that no image with other content has: who finds it needs not import again. */
    public String uniqueReference() {
        return reference() + "-" + key;
    }
}
