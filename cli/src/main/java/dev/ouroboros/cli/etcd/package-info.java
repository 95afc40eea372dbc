/** {@code ouro etcd}. */
@NullMarked
package dev.ouroboros.cli.etcd;

import org.jspecify.annotations.NullMarked;
