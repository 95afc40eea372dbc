/** What the {@code kubernetes} Service leads to: the addresses of the API servers. */
@NullMarked
package dev.ouroboros.model.endpoints;

import org.jspecify.annotations.NullMarked;
