/** System calls that the JDK does not offer. */
@NullMarked
package dev.ouroboros.node.libc;

import org.jspecify.annotations.NullMarked;
