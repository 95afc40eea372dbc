@NullMarked
package dev.ouroboros.dns.forward;

import org.jspecify.annotations.NullMarked;
