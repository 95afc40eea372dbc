@NullMarked
package dev.ouroboros.core.restore;

import org.jspecify.annotations.NullMarked;
