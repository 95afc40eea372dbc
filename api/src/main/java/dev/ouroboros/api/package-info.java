/**
 * A light client of the Kubernetes API: few calls, JSON values, bounded memory, and every failure with its kind. It knows which
 * cluster is ours and takes answers of no other.
 */
@NullMarked
package dev.ouroboros.api;

import org.jspecify.annotations.NullMarked;
