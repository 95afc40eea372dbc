@NullMarked
package dev.ouroboros.runtime.cri;

import org.jspecify.annotations.NullMarked;
