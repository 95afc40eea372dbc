@NullMarked
package dev.ouroboros.upgrade.plan;

import org.jspecify.annotations.NullMarked;
