@NullMarked
package dev.ouroboros.recovery;

import org.jspecify.annotations.NullMarked;
