/** Where a cluster stands: {@code ouro status} and {@code explain}. */
@NullMarked
package dev.ouroboros.cli.status;

import org.jspecify.annotations.NullMarked;
