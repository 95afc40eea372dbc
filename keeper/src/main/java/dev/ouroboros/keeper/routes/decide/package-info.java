/** Which ways to the pods of other nodes a node is to have: pure. */
@NullMarked
package dev.ouroboros.keeper.routes.decide;

import org.jspecify.annotations.NullMarked;
