/** Makes manifests of others keep what we promise. */
@NullMarked
package dev.ouroboros.core.adopt;

import org.jspecify.annotations.NullMarked;
