/** What is wrong with a whole cluster, or will be: looked at, never changed. */
@NullMarked
package dev.ouroboros.doctor;

import org.jspecify.annotations.NullMarked;
