/** What a keeper does: actions in lanes, each idempotent. */
@NullMarked
package dev.ouroboros.keeper.act;

import org.jspecify.annotations.NullMarked;
