/** Images that others made: out of the archives of {@code docker save} and of OCI, verified, into containerd. */
@NullMarked
package dev.ouroboros.images.archive;

import org.jspecify.annotations.NullMarked;
