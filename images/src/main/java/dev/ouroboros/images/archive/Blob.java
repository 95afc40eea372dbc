package dev.ouroboros.images.archive;

import dev.ouroboros.model.json.Json;

/**
 * The content of a file of an archive.
 *
 * @param hex its SHA-256 in hexadecimal digits
 */
record Blob(String hex, long size) {
    String digest() {
        return "sha256:" + hex;
    }

    /** As an OCI descriptor. */
    Json.Fields descriptor(String mediaType) {
        return Json.object()
                .with("mediaType", Json.text(mediaType))
                .with("digest", Json.text(digest()))
                .with("size", Json.number(size));
    }
}
