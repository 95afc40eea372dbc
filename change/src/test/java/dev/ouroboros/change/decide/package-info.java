@NullMarked
package dev.ouroboros.change.decide;

import org.jspecify.annotations.NullMarked;
