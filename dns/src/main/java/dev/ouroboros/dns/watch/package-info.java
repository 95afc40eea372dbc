/** The cluster's Services and EndpointSlices as the API tells them. */
@NullMarked
package dev.ouroboros.dns.watch;

import org.jspecify.annotations.NullMarked;
