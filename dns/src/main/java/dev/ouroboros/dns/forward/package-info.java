/** Names that are not the cluster's: asked of the node's resolvers. */
@NullMarked
package dev.ouroboros.dns.forward;

import org.jspecify.annotations.NullMarked;
