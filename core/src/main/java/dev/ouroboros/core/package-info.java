@NullMarked
package dev.ouroboros.core;

import org.jspecify.annotations.NullMarked;
