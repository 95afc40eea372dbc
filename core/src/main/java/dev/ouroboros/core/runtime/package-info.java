/** What a node's container runtime says about its pods, without saying how it is asked. */
@NullMarked
package dev.ouroboros.core.runtime;

import org.jspecify.annotations.NullMarked;
