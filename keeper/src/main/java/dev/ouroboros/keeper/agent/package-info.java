/** The daemon of a node that is none of the control plane's: leads its clients to API servers that serve. */
@NullMarked
package dev.ouroboros.keeper.agent;

import org.jspecify.annotations.NullMarked;
