@NullMarked
package dev.ouroboros.probe.testing;

import org.jspecify.annotations.NullMarked;
