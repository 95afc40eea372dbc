/** Changes of a running cluster in the steps that it survives: {@link dev.ouroboros.change.KeyRotations}. */
@NullMarked
package dev.ouroboros.change;

import org.jspecify.annotations.NullMarked;
