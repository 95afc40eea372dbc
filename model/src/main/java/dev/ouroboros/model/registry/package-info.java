/** From where a node's containerd pulls images: mirrors, the authorities of registries, a proxy. */
@NullMarked
package dev.ouroboros.model.registry;

import org.jspecify.annotations.NullMarked;
