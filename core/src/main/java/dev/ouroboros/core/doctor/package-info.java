/** What a check of a machine found, and what that means. */
@NullMarked
package dev.ouroboros.core.doctor;

import org.jspecify.annotations.NullMarked;
