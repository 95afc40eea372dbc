@NullMarked
package dev.ouroboros.core.asset;

import org.jspecify.annotations.NullMarked;
