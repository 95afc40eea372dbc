/** A live etcd: snapshots of it, and the way back to one. */
@NullMarked
package dev.ouroboros.etcd;

import org.jspecify.annotations.NullMarked;
