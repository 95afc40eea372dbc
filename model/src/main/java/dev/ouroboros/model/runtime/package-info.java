/** What a node's container runtime says about its pods, without saying how it is asked. */
@NullMarked
package dev.ouroboros.model.runtime;

import org.jspecify.annotations.NullMarked;
