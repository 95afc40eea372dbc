@NullMarked
package dev.ouroboros.images.directory;

import org.jspecify.annotations.NullMarked;
