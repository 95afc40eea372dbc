@NullMarked
package dev.ouroboros.etcd.membership.decide;

import org.jspecify.annotations.NullMarked;
