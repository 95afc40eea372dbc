/** Looks at this machine before it becomes a control-plane node, and changes nothing. */
@NullMarked
package dev.ouroboros.node.doctor;

import org.jspecify.annotations.NullMarked;
