/** {@code ouro host}. */
@NullMarked
package dev.ouroboros.cli.host;

import org.jspecify.annotations.NullMarked;
