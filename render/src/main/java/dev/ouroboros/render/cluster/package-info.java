@NullMarked
package dev.ouroboros.render.cluster;

import org.jspecify.annotations.NullMarked;
