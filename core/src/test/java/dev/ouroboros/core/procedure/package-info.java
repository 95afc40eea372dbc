@NullMarked
package dev.ouroboros.core.procedure;

import org.jspecify.annotations.NullMarked;
