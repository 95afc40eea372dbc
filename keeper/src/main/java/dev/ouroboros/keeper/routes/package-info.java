/** Ways to the pods of other nodes. */
@NullMarked
package dev.ouroboros.keeper.routes;

import org.jspecify.annotations.NullMarked;
