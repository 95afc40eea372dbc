/** Writes the asset directory of a cluster: {@link dev.ouroboros.render.Renderer}. */
@NullMarked
package dev.ouroboros.render;

import org.jspecify.annotations.NullMarked;
