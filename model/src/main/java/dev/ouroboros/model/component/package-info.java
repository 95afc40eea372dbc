@NullMarked
package dev.ouroboros.model.component;

import org.jspecify.annotations.NullMarked;
