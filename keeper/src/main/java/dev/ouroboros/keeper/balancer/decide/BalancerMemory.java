package dev.ouroboros.keeper.balancer.decide;

import dev.ouroboros.model.front.ServerAddress;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What {@link Balancing} remembers.
 *
 * @param left servers that were found bad, until they were good for a while
 * @param awaySince since when those have been away that are
 * @param noneSince since when none may serve
 * @param noneReadySince since when none is ready, be it that some may serve
 * @param othersRefuseSince since when each other one says that it is not ready, or is known not to serve, while the own one is ready
 */
public record BalancerMemory(
        SortedSet<ServerAddress> left,
        SortedMap<ServerAddress, Instant> awaySince,
        Optional<Instant> noneSince,
        Optional<Instant> noneReadySince,
        Optional<Instant> othersRefuseSince) {
    public static final BalancerMemory NONE = new BalancerMemory(
            new TreeSet<>(Set.of()), new TreeMap<>(), Optional.empty(), Optional.empty(), Optional.empty());

    public BalancerMemory {
        left = Collections.unmodifiableSortedSet(new TreeSet<>(left));
        awaySince = Collections.unmodifiableSortedMap(new TreeMap<>(awaySince));
    }
}
