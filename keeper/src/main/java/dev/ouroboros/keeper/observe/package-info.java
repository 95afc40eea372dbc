/** What a keeper sees: each source is a value or unknown, and waits on threads of its own. */
@NullMarked
package dev.ouroboros.keeper.observe;

import org.jspecify.annotations.NullMarked;
