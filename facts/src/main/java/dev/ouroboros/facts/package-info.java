/** What is so in which version of Kubernetes, and of what goes with it: data, each fact with its source. */
@NullMarked
package dev.ouroboros.facts;

import org.jspecify.annotations.NullMarked;
