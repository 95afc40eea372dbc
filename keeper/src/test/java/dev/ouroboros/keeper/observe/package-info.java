@NullMarked
package dev.ouroboros.keeper.observe;

import org.jspecify.annotations.NullMarked;
