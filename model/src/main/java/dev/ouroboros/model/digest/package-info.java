@NullMarked
package dev.ouroboros.model.digest;

import org.jspecify.annotations.NullMarked;
