@NullMarked
package dev.ouroboros.core.registry;

import org.jspecify.annotations.NullMarked;
