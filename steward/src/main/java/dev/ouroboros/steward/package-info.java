/** The steward as a process: it does what {@code ControlPlane/cluster} wishes of etcd. */
@NullMarked
package dev.ouroboros.steward;

import org.jspecify.annotations.NullMarked;
