@NullMarked
package dev.ouroboros.runtime.containerd;

import org.jspecify.annotations.NullMarked;
