@NullMarked
package dev.ouroboros.probe.endpoint;

import org.jspecify.annotations.NullMarked;
