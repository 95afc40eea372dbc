/** How a command talks with whoever called it: what it prints for people and for programs, what it asks, how a duration is typed. */
@NullMarked
package dev.ouroboros.cli.console;

import org.jspecify.annotations.NullMarked;
