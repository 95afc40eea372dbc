package dev.ouroboros.keeper.balancer.decide;

import dev.ouroboros.model.front.Deal;
import dev.ouroboros.model.front.ServerAddress;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What {@link Balancing} decided.
 *
 * @param standings of the servers of other nodes, last resorts included
 * @param reason for people
 * @param memory for the next decision
 */
public record Balance(Deal deal, SortedMap<ServerAddress, Standing> standings, String reason, BalancerMemory memory) {
    public Balance {
        standings = Collections.unmodifiableSortedMap(new TreeMap<>(standings));
    }

    /** Whether the servers of all other nodes have refused for longer than an election of etcd's takes, beside an own one that is ready. */
    public boolean othersRefuse(Instant now) {
        return memory.othersRefuseSince()
                .filter(since -> !now.isBefore(since.plus(Balancing.ELECTED_AFTER)))
                .isPresent();
    }

    /** Servers of other nodes that have been away for a minute. */
    public Set<ServerAddress> lost(Instant now) {
        return memory.awaySince().entrySet().stream()
                .filter(away -> !now.isBefore(away.getValue().plus(Balancing.LOST_AFTER)))
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }
}
