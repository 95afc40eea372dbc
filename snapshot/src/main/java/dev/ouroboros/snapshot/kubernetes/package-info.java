/** Kubernetes objects as an API server stores them in etcd. */
@NullMarked
package dev.ouroboros.snapshot.kubernetes;

import org.jspecify.annotations.NullMarked;
