/** JSON as immutable values, read and written without the weight of object mapping: what the keeper works on. */
@NullMarked
package dev.ouroboros.model.json;

import org.jspecify.annotations.NullMarked;
