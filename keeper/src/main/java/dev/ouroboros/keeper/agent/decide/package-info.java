/** What a node's agent decides of its static copy. */
@NullMarked
package dev.ouroboros.keeper.agent.decide;

import org.jspecify.annotations.NullMarked;
