/** Where a cluster stands, and its API servers: {@code ouro status}, {@code explain}, {@code endpoints}. */
@NullMarked
package dev.ouroboros.cli.status;

import org.jspecify.annotations.NullMarked;
