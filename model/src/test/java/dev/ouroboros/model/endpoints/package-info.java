@NullMarked
package dev.ouroboros.model.endpoints;

import org.jspecify.annotations.NullMarked;
