@NullMarked
package dev.ouroboros.images.binary;

import org.jspecify.annotations.NullMarked;
