/**
 * Encryption at rest, as an API server does it.
 *
 * @see <a href="https://kubernetes.io/docs/tasks/administer-cluster/encrypt-data/">Encrypting Confidential Data at Rest</a>
 */
@NullMarked
package dev.ouroboros.snapshot.encryption;

import org.jspecify.annotations.NullMarked;
