@NullMarked
package dev.ouroboros.sandbox;

import org.jspecify.annotations.NullMarked;
