/** The containerd of a machine. */
@NullMarked
package dev.ouroboros.node.containerd;

import org.jspecify.annotations.NullMarked;
