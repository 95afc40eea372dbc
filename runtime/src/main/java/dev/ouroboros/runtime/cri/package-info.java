/** The Container Runtime Interface: the one that every runtime of a kubelet speaks. */
@NullMarked
package dev.ouroboros.runtime.cri;

import org.jspecify.annotations.NullMarked;
