package dev.ouroboros.images.oci;

import java.nio.file.Path;
import java.util.List;

/** A layer that follows from the ones below it, and is worth making only when the image is not in the cache. */
interface DerivedLayer {
    /** What it depends on besides the layers below it. */
    String fingerprint();

    /** Makes it of files below {@code work}: the same bytes for the same layers and fingerprint. */
    ImageLayer make(List<ImageLayer> below, Path work);
}
