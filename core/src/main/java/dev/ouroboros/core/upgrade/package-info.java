/** What an upgrade of a whole cluster is: its steps, what stands against it. Pure. */
@NullMarked
package dev.ouroboros.core.upgrade;

import org.jspecify.annotations.NullMarked;
