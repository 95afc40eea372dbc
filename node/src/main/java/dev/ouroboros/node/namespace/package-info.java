/** Network namespaces of this machine. */
@NullMarked
package dev.ouroboros.node.namespace;

import org.jspecify.annotations.NullMarked;
