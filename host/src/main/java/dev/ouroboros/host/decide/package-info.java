/** What a machine of one's own must be given to become a node, and what is to be done about what it has already: pure. */
@NullMarked
package dev.ouroboros.host.decide;

import org.jspecify.annotations.NullMarked;
