/** Which records the cluster's objects make, by the Kubernetes DNS specification 1.1: pure. */
@NullMarked
package dev.ouroboros.dns.zone;

import org.jspecify.annotations.NullMarked;
