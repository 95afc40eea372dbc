/** Which changes of an API server two servers on one etcd do not survive together. Pure, and light enough for the keeper. */
@NullMarked
package dev.ouroboros.core.change;

import org.jspecify.annotations.NullMarked;
