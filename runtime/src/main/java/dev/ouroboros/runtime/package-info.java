/** The container runtime of this node, behind its Unix socket. */
@NullMarked
package dev.ouroboros.runtime;

import org.jspecify.annotations.NullMarked;
