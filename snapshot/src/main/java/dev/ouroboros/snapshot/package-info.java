/** What is inside of an etcd snapshot, and any object of it: the module's front. */
@NullMarked
package dev.ouroboros.snapshot;

import org.jspecify.annotations.NullMarked;
