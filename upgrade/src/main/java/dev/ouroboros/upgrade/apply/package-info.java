/** Carries an upgrade out, and back: {@link dev.ouroboros.upgrade.apply.ApplyProcedure}. */
@NullMarked
package dev.ouroboros.upgrade.apply;

import org.jspecify.annotations.NullMarked;
