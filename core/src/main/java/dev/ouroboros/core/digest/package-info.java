@NullMarked
package dev.ouroboros.core.digest;

import org.jspecify.annotations.NullMarked;
