/** Queries over UDP and TCP, and what is answered to each. */
@NullMarked
package dev.ouroboros.dns.serve;

import org.jspecify.annotations.NullMarked;
