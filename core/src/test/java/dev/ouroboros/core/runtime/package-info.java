@NullMarked
package dev.ouroboros.core.runtime;

import org.jspecify.annotations.NullMarked;
