/** {@code ouro probe}. */
@NullMarked
package dev.ouroboros.cli.probe;

import org.jspecify.annotations.NullMarked;
