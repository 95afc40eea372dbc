/**
 * What a component is made of, and how it becomes a static pod: everything its pod refers to, what cannot be static, and the
 * understudy itself. Pure and without object mapping, as the keeper's memory is small.
 */
@NullMarked
package dev.ouroboros.model.checkpoint;

import org.jspecify.annotations.NullMarked;
