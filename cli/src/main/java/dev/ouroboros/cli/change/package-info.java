/** {@code ouro change}: its rotations, the removal of the keeper, and the reins. */
@NullMarked
package dev.ouroboros.cli.change;

import org.jspecify.annotations.NullMarked;
