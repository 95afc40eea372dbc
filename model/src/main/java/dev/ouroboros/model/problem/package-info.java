@NullMarked
package dev.ouroboros.model.problem;

import org.jspecify.annotations.NullMarked;
