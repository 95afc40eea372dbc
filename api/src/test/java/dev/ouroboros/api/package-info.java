@NullMarked
package dev.ouroboros.api;

import org.jspecify.annotations.NullMarked;
