/** What each source said about a cluster: a value, or unknown with its reason. */
@NullMarked
package dev.ouroboros.status.seen;

import org.jspecify.annotations.NullMarked;
