/** Locks between processes of one machine. */
@NullMarked
package dev.ouroboros.node.lock;

import org.jspecify.annotations.NullMarked;
