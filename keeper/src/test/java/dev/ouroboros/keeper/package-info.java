@NullMarked
package dev.ouroboros.keeper;

import org.jspecify.annotations.NullMarked;
