@NullMarked
package dev.ouroboros.snapshot.encryption;

import org.jspecify.annotations.NullMarked;
