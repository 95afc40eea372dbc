/** What a keeper tells: decisions, state, metrics, logs. */
@NullMarked
package dev.ouroboros.keeper.report;

import org.jspecify.annotations.NullMarked;
