/** {@code ouro change}: its rotations, the removal of the keeper, and pause, resume and abort. */
@NullMarked
package dev.ouroboros.cli.change;

import org.jspecify.annotations.NullMarked;
