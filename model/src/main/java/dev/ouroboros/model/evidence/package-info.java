/** What an observer says about the world: a value, or that it does not know. */
@NullMarked
package dev.ouroboros.model.evidence;

import org.jspecify.annotations.NullMarked;
