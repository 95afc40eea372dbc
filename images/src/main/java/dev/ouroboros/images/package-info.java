@NullMarked
package dev.ouroboros.images;

import org.jspecify.annotations.NullMarked;
