/** End-to-end tests: they run {@code ./ouro} as a user does, against real binaries. */
@NullMarked
package dev.ouroboros.e2e;

import org.jspecify.annotations.NullMarked;
