@NullMarked
package dev.ouroboros.bootstrap;

import org.jspecify.annotations.NullMarked;
