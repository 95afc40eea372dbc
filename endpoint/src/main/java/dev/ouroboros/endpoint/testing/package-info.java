/** Certificate authorities for tests, ours and other people's. */
@NullMarked
package dev.ouroboros.endpoint.testing;

import org.jspecify.annotations.NullMarked;
