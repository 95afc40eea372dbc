/** What the members of an etcd become, decided without a look at anything. */
@NullMarked
package dev.ouroboros.etcd.membership.decide;

import org.jspecify.annotations.NullMarked;
