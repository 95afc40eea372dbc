@NullMarked
package dev.ouroboros.core.front;

import org.jspecify.annotations.NullMarked;
