@NullMarked
package dev.ouroboros.keeper.api;

import org.jspecify.annotations.NullMarked;
