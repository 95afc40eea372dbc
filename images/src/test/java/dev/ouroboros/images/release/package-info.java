@NullMarked
package dev.ouroboros.images.release;

import org.jspecify.annotations.NullMarked;
