/** What tests of refusals need. */
@NullMarked
package dev.ouroboros.model.problem.testing;

import org.jspecify.annotations.NullMarked;
