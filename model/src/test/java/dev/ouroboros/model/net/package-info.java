@NullMarked
package dev.ouroboros.model.net;

import org.jspecify.annotations.NullMarked;
