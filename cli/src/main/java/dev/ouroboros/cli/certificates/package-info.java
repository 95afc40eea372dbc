/** {@code ouro certificates}. */
@NullMarked
package dev.ouroboros.cli.certificates;

import org.jspecify.annotations.NullMarked;
