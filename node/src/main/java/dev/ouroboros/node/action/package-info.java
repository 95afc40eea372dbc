/** How decided actions are performed: beside each other, one after the other, once, and again when they failed. */
@NullMarked
package dev.ouroboros.node.action;

import org.jspecify.annotations.NullMarked;
