@NullMarked
package dev.ouroboros.upgrade.decide;

import org.jspecify.annotations.NullMarked;
