/** Binaries from the official release downloads. */
@NullMarked
package dev.ouroboros.images.release;

import org.jspecify.annotations.NullMarked;
