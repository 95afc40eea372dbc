/** What a command does with the API of a cluster; a failure is a problem with its remedy. */
@NullMarked
package dev.ouroboros.cluster;

import org.jspecify.annotations.NullMarked;
