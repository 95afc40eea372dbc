@NullMarked
package dev.ouroboros.etcd;

import org.jspecify.annotations.NullMarked;
