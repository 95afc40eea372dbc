@NullMarked
package dev.ouroboros.sim;

import org.jspecify.annotations.NullMarked;
