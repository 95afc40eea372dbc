@NullMarked
package dev.ouroboros.api.testing;

import org.jspecify.annotations.NullMarked;
