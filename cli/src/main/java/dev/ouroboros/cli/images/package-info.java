/** {@code ouro images}, and where other commands get programs and images from. */
@NullMarked
package dev.ouroboros.cli.images;

import org.jspecify.annotations.NullMarked;
