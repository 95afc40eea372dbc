/** A node's kubelet as one of several generations: what it is made of, what is wished of it, and what its node says of it. Layer 0. */
@NullMarked
package dev.ouroboros.model.kubelet;

import org.jspecify.annotations.NullMarked;
