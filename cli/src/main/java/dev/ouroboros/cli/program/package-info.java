/** This program as its commands see it: which others there are, what it is called, what its exit codes mean, how it runs again in a node. */
@NullMarked
package dev.ouroboros.cli.program;

import org.jspecify.annotations.NullMarked;
