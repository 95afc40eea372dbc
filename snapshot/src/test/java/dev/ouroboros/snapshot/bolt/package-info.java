@NullMarked
package dev.ouroboros.snapshot.bolt;

import org.jspecify.annotations.NullMarked;
