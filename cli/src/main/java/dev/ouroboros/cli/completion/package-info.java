/** {@code ouro completion}. */
@NullMarked
package dev.ouroboros.cli.completion;

import org.jspecify.annotations.NullMarked;
