/** Putting etcd back to a snapshot on one node: the decisions, without doing anything. */
@NullMarked
package dev.ouroboros.etcd.decide;

import org.jspecify.annotations.NullMarked;
