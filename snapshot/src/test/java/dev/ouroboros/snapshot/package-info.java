@NullMarked
package dev.ouroboros.snapshot;

import org.jspecify.annotations.NullMarked;
