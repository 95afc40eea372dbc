/** What a check of a machine found, and what that means. */
@NullMarked
package dev.ouroboros.model.ailment;

import org.jspecify.annotations.NullMarked;
