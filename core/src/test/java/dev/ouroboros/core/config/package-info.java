@NullMarked
package dev.ouroboros.core.config;

import org.jspecify.annotations.NullMarked;
