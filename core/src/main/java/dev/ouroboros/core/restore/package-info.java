/** Putting etcd back to a snapshot on one node: the decisions, without doing anything. */
@NullMarked
package dev.ouroboros.core.restore;

import org.jspecify.annotations.NullMarked;
