/** {@code ouro up}: the steps from a machine with nothing to a cluster that serves itself. */
@NullMarked
package dev.ouroboros.sandbox.up;

import org.jspecify.annotations.NullMarked;
