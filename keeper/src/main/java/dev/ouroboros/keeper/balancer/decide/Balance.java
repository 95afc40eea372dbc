package dev.ouroboros.keeper.balancer.decide;

import dev.ouroboros.model.front.Deal;
import dev.ouroboros.model.front.ServerAddress;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

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
}
