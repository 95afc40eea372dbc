@NullMarked
package dev.ouroboros.node.clock;

import org.jspecify.annotations.NullMarked;
