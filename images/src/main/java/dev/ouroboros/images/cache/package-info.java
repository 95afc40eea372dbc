/** The cache directory: complete entries or none. */
@NullMarked
package dev.ouroboros.images.cache;

import org.jspecify.annotations.NullMarked;
