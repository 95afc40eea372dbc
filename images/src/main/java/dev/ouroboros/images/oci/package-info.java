/** Images made from binaries, and their way into containerd. */
@NullMarked
package dev.ouroboros.images.oci;

import org.jspecify.annotations.NullMarked;
