/** {@code ouro token}. */
@NullMarked
package dev.ouroboros.cli.token;

import org.jspecify.annotations.NullMarked;
