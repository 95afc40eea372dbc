@NullMarked
package dev.ouroboros.node.front;

import org.jspecify.annotations.NullMarked;
