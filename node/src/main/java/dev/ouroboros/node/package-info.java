@NullMarked
package dev.ouroboros.node;

import org.jspecify.annotations.NullMarked;
