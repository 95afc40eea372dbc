/** A world for a keeper: an API server, a runtime and a node that do as a test says. */
@NullMarked
package dev.ouroboros.keeper.testing;

import org.jspecify.annotations.NullMarked;
