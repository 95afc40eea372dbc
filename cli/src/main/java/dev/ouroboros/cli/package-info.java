@NullMarked
package dev.ouroboros.cli;

import org.jspecify.annotations.NullMarked;
