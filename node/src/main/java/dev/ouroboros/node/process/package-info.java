@NullMarked
package dev.ouroboros.node.process;

import org.jspecify.annotations.NullMarked;
