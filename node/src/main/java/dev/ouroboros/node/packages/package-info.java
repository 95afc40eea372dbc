/** Packages of this machine's Debian: which are missing, and how to get them. */
@NullMarked
package dev.ouroboros.node.packages;

import org.jspecify.annotations.NullMarked;
