/** What the daemons log, in one form. */
@NullMarked
package dev.ouroboros.node.log;

import org.jspecify.annotations.NullMarked;
