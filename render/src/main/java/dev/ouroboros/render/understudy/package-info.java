/** Copies of components that stand beside the self-hosted ones. */
@NullMarked
package dev.ouroboros.render.understudy;

import org.jspecify.annotations.NullMarked;
