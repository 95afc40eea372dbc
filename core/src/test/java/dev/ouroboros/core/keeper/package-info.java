@NullMarked
package dev.ouroboros.core.keeper;

import org.jspecify.annotations.NullMarked;
