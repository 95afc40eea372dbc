/** Checkpoints and static manifests on the node's disk. */
@NullMarked
package dev.ouroboros.keeper.checkpoint;

import org.jspecify.annotations.NullMarked;
