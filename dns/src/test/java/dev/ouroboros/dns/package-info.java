@NullMarked
package dev.ouroboros.dns;

import org.jspecify.annotations.NullMarked;
