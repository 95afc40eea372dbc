/** The front in this machine's kernel, and the proof that clients reach the servers behind it. */
@NullMarked
package dev.ouroboros.node.front;

import org.jspecify.annotations.NullMarked;
