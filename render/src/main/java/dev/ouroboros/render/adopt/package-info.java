/** Makes manifests of others keep what we promise. */
@NullMarked
package dev.ouroboros.render.adopt;

import org.jspecify.annotations.NullMarked;
