@NullMarked
package dev.ouroboros.probe;

import org.jspecify.annotations.NullMarked;
