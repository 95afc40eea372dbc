@NullMarked
package dev.ouroboros.etcd.membership;

import org.jspecify.annotations.NullMarked;
