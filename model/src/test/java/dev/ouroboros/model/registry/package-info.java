@NullMarked
package dev.ouroboros.model.registry;

import org.jspecify.annotations.NullMarked;
