package dev.ouroboros.images.archive;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * An image of an archive that was found whole.
 *
 * @param names complete ones, as in {@code docker.io/library/busybox:latest}
 * @param manifest the blob that names all the others
 * @param mediaType of the manifest
 * @param blobs of which the image consists, the manifest among them
 */
record SavedImage(List<String> names, Blob manifest, String mediaType, List<Blob> blobs) {
    SavedImage {
        names = List.copyOf(names);
        requireNonNull(manifest, "manifest");
        requireNonNull(mediaType, "mediaType");
        blobs = List.copyOf(blobs);
    }
}
