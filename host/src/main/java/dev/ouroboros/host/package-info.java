/** Makes a machine with systemd a node, and takes it back: the adapters around {@code host.decide}. */
@NullMarked
package dev.ouroboros.host;

import org.jspecify.annotations.NullMarked;
