@NullMarked
package dev.ouroboros.core.net;

import org.jspecify.annotations.NullMarked;
