@NullMarked
package dev.ouroboros.core.problem;

import org.jspecify.annotations.NullMarked;
