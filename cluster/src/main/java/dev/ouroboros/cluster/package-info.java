@NullMarked
package dev.ouroboros.cluster;

import org.jspecify.annotations.NullMarked;
