/** Finds in manifests what cannot be a static pod, before a cluster does. */
@NullMarked
package dev.ouroboros.core.lint;

import org.jspecify.annotations.NullMarked;
