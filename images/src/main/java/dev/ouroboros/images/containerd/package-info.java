/** The containerd of a machine. */
@NullMarked
package dev.ouroboros.images.containerd;

import org.jspecify.annotations.NullMarked;
