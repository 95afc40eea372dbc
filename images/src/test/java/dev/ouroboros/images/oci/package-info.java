@NullMarked
package dev.ouroboros.images.oci;

import org.jspecify.annotations.NullMarked;
