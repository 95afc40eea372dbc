/** What tests of refusals need. */
@NullMarked
package dev.ouroboros.core.problem.testing;

import org.jspecify.annotations.NullMarked;
