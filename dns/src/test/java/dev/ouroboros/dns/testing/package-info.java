/** Clusters for tests. */
@NullMarked
package dev.ouroboros.dns.testing;

import org.jspecify.annotations.NullMarked;
