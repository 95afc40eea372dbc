/** Time that does not jump, and how often something is looked at. */
@NullMarked
package dev.ouroboros.node.clock;

import org.jspecify.annotations.NullMarked;
