/** Copies of components that stand beside the self-hosted ones. */
@NullMarked
package dev.ouroboros.core.understudy;

import org.jspecify.annotations.NullMarked;
