@NullMarked
package dev.ouroboros.doctor;

import org.jspecify.annotations.NullMarked;
