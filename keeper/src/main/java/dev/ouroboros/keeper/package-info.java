/** The keeper's daemon: observes one control-plane node, asks {@link dev.ouroboros.keeper.decide} what to do, and does it. */
@NullMarked
package dev.ouroboros.keeper;

import org.jspecify.annotations.NullMarked;
