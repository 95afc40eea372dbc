@NullMarked
package dev.ouroboros.images.cache;

import org.jspecify.annotations.NullMarked;
