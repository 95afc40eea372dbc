/** {@code ouro keeper}: the daemon where there is no image. */
@NullMarked
package dev.ouroboros.cli.keeper;

import org.jspecify.annotations.NullMarked;
