@NullMarked
package dev.ouroboros.node.packages;

import org.jspecify.annotations.NullMarked;
