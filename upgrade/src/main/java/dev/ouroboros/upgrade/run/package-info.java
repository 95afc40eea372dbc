/** An upgrade from what somebody asks for to its end: {@link dev.ouroboros.upgrade.run.ClusterUpgrade}. */
@NullMarked
package dev.ouroboros.upgrade.run;

import org.jspecify.annotations.NullMarked;
