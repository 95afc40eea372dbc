/** The Kubernetes and etcd binaries, whichever of the three sources they come from. */
@NullMarked
package dev.ouroboros.images.binary;

import org.jspecify.annotations.NullMarked;
