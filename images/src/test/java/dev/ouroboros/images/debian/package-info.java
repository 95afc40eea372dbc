@NullMarked
package dev.ouroboros.images.debian;

import org.jspecify.annotations.NullMarked;
