/** What is next in a rotation of keys, and whether a change may be given up: decided from what the cluster shows. Pure. */
@NullMarked
package dev.ouroboros.change.decide;

import org.jspecify.annotations.NullMarked;
