@NullMarked
package dev.ouroboros.render.config;

import org.jspecify.annotations.NullMarked;
