@NullMarked
package dev.ouroboros.probe.report;

import org.jspecify.annotations.NullMarked;
