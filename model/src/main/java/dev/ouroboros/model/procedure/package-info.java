/** Work of many steps that may be killed anywhere and then goes on: what such work is, and how one step of it is taken. */
@NullMarked
package dev.ouroboros.model.procedure;

import org.jspecify.annotations.NullMarked;
