/** What the keeper tells the cluster by way of the API: Events, and the Lease of a change. */
@NullMarked
package dev.ouroboros.keeper.api;

import org.jspecify.annotations.NullMarked;
