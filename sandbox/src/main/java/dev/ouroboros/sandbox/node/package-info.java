/** One node of a sandbox: its files, its processes, its network. */
@NullMarked
package dev.ouroboros.sandbox.node;

import org.jspecify.annotations.NullMarked;
