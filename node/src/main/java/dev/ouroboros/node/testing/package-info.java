/** Stand-ins for a machine's parts, of the quality of the parts: for tests of every module and for the simulator. */
@NullMarked
package dev.ouroboros.node.testing;

import org.jspecify.annotations.NullMarked;
