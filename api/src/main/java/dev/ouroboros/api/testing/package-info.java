/** An API server for tests of who speaks to one: as little of it as a client can tell, and every fault. */
@NullMarked
package dev.ouroboros.api.testing;

import org.jspecify.annotations.NullMarked;
