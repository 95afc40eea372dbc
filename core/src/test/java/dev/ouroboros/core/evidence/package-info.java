@NullMarked
package dev.ouroboros.core.evidence;

import org.jspecify.annotations.NullMarked;
