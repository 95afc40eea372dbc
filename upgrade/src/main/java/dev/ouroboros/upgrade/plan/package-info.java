/** Looks at a cluster that is to become another version, and says how and whether it can: {@code ouro upgrade plan}. Reads only. */
@NullMarked
package dev.ouroboros.upgrade.plan;

import org.jspecify.annotations.NullMarked;
