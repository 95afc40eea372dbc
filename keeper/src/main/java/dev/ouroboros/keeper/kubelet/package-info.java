/** Layer 0 on one node: has the guard try the kubelet that is wished, and says how it stands. For keeper and agent. */
@NullMarked
package dev.ouroboros.keeper.kubelet;

import org.jspecify.annotations.NullMarked;
