@NullMarked
package dev.ouroboros.core.cluster;

import org.jspecify.annotations.NullMarked;
