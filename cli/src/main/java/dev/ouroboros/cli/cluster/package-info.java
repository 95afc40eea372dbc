/** Which cluster, sandbox or etcd a command is about. */
@NullMarked
package dev.ouroboros.cli.cluster;

import org.jspecify.annotations.NullMarked;
