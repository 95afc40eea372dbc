@NullMarked
package dev.ouroboros.node.disk;

import org.jspecify.annotations.NullMarked;
