@NullMarked
package dev.ouroboros.keeper.decide;

import org.jspecify.annotations.NullMarked;
