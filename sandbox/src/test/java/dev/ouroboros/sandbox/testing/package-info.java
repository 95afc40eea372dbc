/** What stands in for a machine in tests. */
@NullMarked
package dev.ouroboros.sandbox.testing;

import org.jspecify.annotations.NullMarked;
