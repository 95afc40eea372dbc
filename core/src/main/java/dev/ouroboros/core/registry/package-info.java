/** From where a node's containerd pulls images: mirrors, the authorities of registries, a proxy. */
@NullMarked
package dev.ouroboros.core.registry;

import org.jspecify.annotations.NullMarked;
