@NullMarked
package dev.ouroboros.etcd.decide;

import org.jspecify.annotations.NullMarked;
