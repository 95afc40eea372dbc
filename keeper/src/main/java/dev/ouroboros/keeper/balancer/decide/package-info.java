/** Which API server the connections of a node's own clients go to. Pure. */
@NullMarked
package dev.ouroboros.keeper.balancer.decide;

import org.jspecify.annotations.NullMarked;
