/** Versions as values; what is so in which of them, the facts say. */
@NullMarked
package dev.ouroboros.model.version;

import org.jspecify.annotations.NullMarked;
