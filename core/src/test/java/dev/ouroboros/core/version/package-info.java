@NullMarked
package dev.ouroboros.core.version;

import org.jspecify.annotations.NullMarked;
