@NullMarked
package dev.ouroboros.model.front;

import org.jspecify.annotations.NullMarked;
