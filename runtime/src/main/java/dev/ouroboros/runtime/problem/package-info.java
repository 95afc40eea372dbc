/** How failed calls are told to people. */
@NullMarked
package dev.ouroboros.runtime.problem;

import org.jspecify.annotations.NullMarked;
