package dev.ouroboros.keeper.balancer.decide;

import dev.ouroboros.model.front.ServerAddress;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What {@link Balancing} remembers.
 *
 * @param left servers that were found bad, until they were good for a while
 * @param noneSince since when none may serve
 */
public record BalancerMemory(SortedSet<ServerAddress> left, Optional<Instant> noneSince) {
    public static final BalancerMemory NONE = new BalancerMemory(new TreeSet<>(Set.of()), Optional.empty());

    public BalancerMemory {
        left = Collections.unmodifiableSortedSet(new TreeSet<>(left));
    }
}
