/** Leads the connections of a node's own clients to API servers that serve, of whichever node: what is known of them, and the kernel's table. */
@NullMarked
package dev.ouroboros.keeper.balancer;

import org.jspecify.annotations.NullMarked;
