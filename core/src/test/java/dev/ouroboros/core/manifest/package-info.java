@NullMarked
package dev.ouroboros.core.manifest;

import org.jspecify.annotations.NullMarked;
