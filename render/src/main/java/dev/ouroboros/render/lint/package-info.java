/** Finds in manifests what cannot be a static pod, before a cluster does. */
@NullMarked
package dev.ouroboros.render.lint;

import org.jspecify.annotations.NullMarked;
