@NullMarked
package dev.ouroboros.snapshot.kubernetes;

import org.jspecify.annotations.NullMarked;
