@NullMarked
package dev.ouroboros.runtime.image;

import org.jspecify.annotations.NullMarked;
