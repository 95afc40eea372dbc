/** From what is left of a cluster, its live objects, to an asset directory that {@code start} boots. */
@NullMarked
package dev.ouroboros.recovery;

import org.jspecify.annotations.NullMarked;
