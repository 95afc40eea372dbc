@NullMarked
package dev.ouroboros.keeper.act;

import org.jspecify.annotations.NullMarked;
