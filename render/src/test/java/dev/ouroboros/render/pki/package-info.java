@NullMarked
package dev.ouroboros.render.pki;

import org.jspecify.annotations.NullMarked;
