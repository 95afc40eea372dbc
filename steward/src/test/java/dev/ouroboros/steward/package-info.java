@NullMarked
package dev.ouroboros.steward;

import org.jspecify.annotations.NullMarked;
