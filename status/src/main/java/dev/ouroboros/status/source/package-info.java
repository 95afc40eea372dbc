/** Asks whatever may still answer: the API, the keeper, the container runtime, the node's files. */
@NullMarked
package dev.ouroboros.status.source;

import org.jspecify.annotations.NullMarked;
