@NullMarked
package dev.ouroboros.core.change;

import org.jspecify.annotations.NullMarked;
