/** Measures the command line as a user runs it, and another tool beside it. */
@NullMarked
package dev.ouroboros.bench;

import org.jspecify.annotations.NullMarked;
