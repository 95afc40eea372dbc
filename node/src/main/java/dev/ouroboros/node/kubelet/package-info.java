/** What a kubelet leaves on disk. */
@NullMarked
package dev.ouroboros.node.kubelet;

import org.jspecify.annotations.NullMarked;
