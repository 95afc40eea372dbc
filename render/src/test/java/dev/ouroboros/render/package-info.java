@NullMarked
package dev.ouroboros.render;

import org.jspecify.annotations.NullMarked;
