/** Who holds a port of this machine. */
@NullMarked
package dev.ouroboros.node.port;

import org.jspecify.annotations.NullMarked;
