@NullMarked
package dev.ouroboros.model.runtime;

import org.jspecify.annotations.NullMarked;
