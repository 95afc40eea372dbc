/** Binaries from a directory that the user names. */
@NullMarked
package dev.ouroboros.images.directory;

import org.jspecify.annotations.NullMarked;
