@NullMarked
package dev.ouroboros.facts;

import org.jspecify.annotations.NullMarked;
