/**
 * What the keeper of a node decides: pure, without I/O, and without object mapping, as the keeper has little memory. The daemon observes,
 * asks {@link dev.ouroboros.keeper.decide.Keeper}, and acts.
 */
@NullMarked
package dev.ouroboros.keeper.decide;

import org.jspecify.annotations.NullMarked;
