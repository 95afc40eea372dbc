@NullMarked
package dev.ouroboros.steward.decide;

import org.jspecify.annotations.NullMarked;
