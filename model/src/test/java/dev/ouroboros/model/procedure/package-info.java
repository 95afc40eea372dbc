@NullMarked
package dev.ouroboros.model.procedure;

import org.jspecify.annotations.NullMarked;
