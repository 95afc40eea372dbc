/** {@code ouro upgrade}, and {@code ouro diff}, which shows what one would meet. */
@NullMarked
package dev.ouroboros.cli.upgrade;

import org.jspecify.annotations.NullMarked;
