/** Which nodes run a member of etcd: one more, one fewer, one that is lost. */
@NullMarked
package dev.ouroboros.etcd.membership;

import org.jspecify.annotations.NullMarked;
