@NullMarked
package dev.ouroboros.core.upgrade;

import org.jspecify.annotations.NullMarked;
