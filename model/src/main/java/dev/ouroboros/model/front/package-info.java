/**
 * The front of a node's API server: an nftables table that says which of two servers on the node gets new connections.
 * Everything here is text and values; {@code dev.ouroboros.node.front} talks to the kernel.
 */
@NullMarked
package dev.ouroboros.model.front;

import org.jspecify.annotations.NullMarked;
