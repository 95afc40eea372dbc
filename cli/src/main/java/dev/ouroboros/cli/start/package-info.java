/** {@code ouro start}. */
@NullMarked
package dev.ouroboros.cli.start;

import org.jspecify.annotations.NullMarked;
