@org.jspecify.annotations.NullMarked
package dev.ouroboros.keeper.report;
