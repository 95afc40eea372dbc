@NullMarked
package dev.ouroboros.model.asset;

import org.jspecify.annotations.NullMarked;
