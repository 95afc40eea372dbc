/** From what was seen to where the cluster stands; pure. */
@NullMarked
package dev.ouroboros.status.judge;

import org.jspecify.annotations.NullMarked;
