@NullMarked
package dev.ouroboros.snapshot.etcd;

import org.jspecify.annotations.NullMarked;
