/** What tests of procedures need. */
@NullMarked
package dev.ouroboros.core.procedure.testing;

import org.jspecify.annotations.NullMarked;
