@NullMarked
package dev.ouroboros.core.pki;

import org.jspecify.annotations.NullMarked;
