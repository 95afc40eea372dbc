@NullMarked
package dev.ouroboros.dns.zone;

import org.jspecify.annotations.NullMarked;
