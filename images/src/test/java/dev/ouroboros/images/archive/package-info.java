@NullMarked
package dev.ouroboros.images.archive;

import org.jspecify.annotations.NullMarked;
