/** Puts a report into text and data; pure. */
@NullMarked
package dev.ouroboros.status.view;

import org.jspecify.annotations.NullMarked;
