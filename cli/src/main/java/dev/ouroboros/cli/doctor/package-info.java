/** {@code ouro doctor}. */
@NullMarked
package dev.ouroboros.cli.doctor;

import org.jspecify.annotations.NullMarked;
