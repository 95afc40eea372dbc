@NullMarked
package dev.ouroboros.core.component;

import org.jspecify.annotations.NullMarked;
