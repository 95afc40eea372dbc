/** What is to be done with a node's kubelet, of what its disk and the API show. Pure. */
@NullMarked
package dev.ouroboros.keeper.kubelet.decide;

import org.jspecify.annotations.NullMarked;
