/** What a cluster should be, what it is, what is saved of it and what runs, side by side: {@link dev.ouroboros.upgrade.diff.Differences}. */
@NullMarked
package dev.ouroboros.upgrade.diff;

import org.jspecify.annotations.NullMarked;
