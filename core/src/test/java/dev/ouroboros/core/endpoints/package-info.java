@NullMarked
package dev.ouroboros.core.endpoints;

import org.jspecify.annotations.NullMarked;
