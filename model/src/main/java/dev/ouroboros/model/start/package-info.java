/** What a start says of the cluster that it makes: where it stands, and what it sees of the Node and of the workloads. */
@NullMarked
package dev.ouroboros.model.start;

import org.jspecify.annotations.NullMarked;
