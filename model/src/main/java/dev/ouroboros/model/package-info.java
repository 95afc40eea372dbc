/** What all modules speak of: values and rules without input or output, and so light that the keeper has all of it. */
@NullMarked
package dev.ouroboros.model;

import org.jspecify.annotations.NullMarked;
