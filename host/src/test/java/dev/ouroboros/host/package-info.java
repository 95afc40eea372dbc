@NullMarked
package dev.ouroboros.host;

import org.jspecify.annotations.NullMarked;
