/** Binaries and images, whatever they are made from. */
@NullMarked
package dev.ouroboros.images;

import org.jspecify.annotations.NullMarked;
