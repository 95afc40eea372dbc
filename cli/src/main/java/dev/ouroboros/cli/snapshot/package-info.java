/** {@code ouro snapshot}, and how other commands read one. */
@NullMarked
package dev.ouroboros.cli.snapshot;

import org.jspecify.annotations.NullMarked;
