/** Which of a node's copies of a daemon acts, and how the next one comes to it. */
@NullMarked
package dev.ouroboros.keeper.succession;

import org.jspecify.annotations.NullMarked;
