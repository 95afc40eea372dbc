/** The files that a cluster is made from: {@code ouro render} writes them, {@code lint} judges them, {@code recover} makes them anew. */
@NullMarked
package dev.ouroboros.cli.assets;

import org.jspecify.annotations.NullMarked;
