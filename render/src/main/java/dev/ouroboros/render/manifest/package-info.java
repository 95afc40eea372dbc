@NullMarked
package dev.ouroboros.render.manifest;

import org.jspecify.annotations.NullMarked;
