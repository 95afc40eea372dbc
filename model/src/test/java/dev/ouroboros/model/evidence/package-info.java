@NullMarked
package dev.ouroboros.model.evidence;

import org.jspecify.annotations.NullMarked;
