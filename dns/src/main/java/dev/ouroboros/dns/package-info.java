/** The cluster's DNS as a process. */
@NullMarked
package dev.ouroboros.dns;

import org.jspecify.annotations.NullMarked;
