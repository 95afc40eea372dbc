/** The hand-over from a temporary to a self-hosted control plane, as a pure step machine. */
@NullMarked
package dev.ouroboros.bootstrap.decide;

import org.jspecify.annotations.NullMarked;
