/** What tests of procedures need. */
@NullMarked
package dev.ouroboros.model.procedure.testing;

import org.jspecify.annotations.NullMarked;
