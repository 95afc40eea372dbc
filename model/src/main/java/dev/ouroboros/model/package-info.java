@NullMarked
package dev.ouroboros.model;

import org.jspecify.annotations.NullMarked;
