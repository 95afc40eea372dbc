@NullMarked
package dev.ouroboros.change;

import org.jspecify.annotations.NullMarked;
