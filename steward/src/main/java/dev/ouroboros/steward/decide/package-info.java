/** What the steward decides, of what it sees alone. */
@NullMarked
package dev.ouroboros.steward.decide;

import org.jspecify.annotations.NullMarked;
