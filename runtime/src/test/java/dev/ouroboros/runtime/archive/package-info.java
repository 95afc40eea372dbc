@NullMarked
package dev.ouroboros.runtime.archive;

import org.jspecify.annotations.NullMarked;
