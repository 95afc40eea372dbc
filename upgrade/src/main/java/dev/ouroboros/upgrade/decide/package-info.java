/** The upgrade of a whole cluster: its steps, and the obstacles to it. Pure. */
@NullMarked
package dev.ouroboros.upgrade.decide;

import org.jspecify.annotations.NullMarked;
