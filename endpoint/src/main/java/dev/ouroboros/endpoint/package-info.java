@NullMarked
package dev.ouroboros.endpoint;

import org.jspecify.annotations.NullMarked;
