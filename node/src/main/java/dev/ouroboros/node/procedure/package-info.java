/** Drives procedures on this machine: the journal in a file, the patience of a command. */
@NullMarked
package dev.ouroboros.node.procedure;

import org.jspecify.annotations.NullMarked;
