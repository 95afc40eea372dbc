@NullMarked
package dev.ouroboros.probe.client;

import org.jspecify.annotations.NullMarked;
