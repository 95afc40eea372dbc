@NullMarked
package dev.ouroboros.runtime.problem;

import org.jspecify.annotations.NullMarked;
