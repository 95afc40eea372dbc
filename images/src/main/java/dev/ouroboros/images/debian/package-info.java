/** Binaries from Debian's own source package, built once. */
@NullMarked
package dev.ouroboros.images.debian;

import org.jspecify.annotations.NullMarked;
