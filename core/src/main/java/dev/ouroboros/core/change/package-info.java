/** Which changes keep an old and a new API server from running on one etcd together. Pure, and light enough for the keeper. */
@NullMarked
package dev.ouroboros.core.change;

import org.jspecify.annotations.NullMarked;
