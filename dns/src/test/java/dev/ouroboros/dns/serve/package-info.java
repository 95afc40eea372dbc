@NullMarked
package dev.ouroboros.dns.serve;

import org.jspecify.annotations.NullMarked;
