/** Where a cluster stands, as people and programs want to know it. */
@NullMarked
package dev.ouroboros.status.model;

import org.jspecify.annotations.NullMarked;
