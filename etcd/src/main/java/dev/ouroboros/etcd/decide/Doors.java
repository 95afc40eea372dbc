package dev.ouroboros.etcd.decide;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How many connections clients have to either door of an etcd, by their addresses. An API server has one client for each kind of object, each of which is connected to
 * every door that is open; one that found a door closed tries again later and later, up to 144 s (grpc, doc/connection-backoff.md).
 *
 * @param first to the member that is changed
 * @param second to {@link TemporaryMember#SECOND_DOOR}
 */
public record Doors(SortedMap<String, Integer> first, SortedMap<String, Integer> second) {
    public Doors {
        first = Collections.unmodifiableSortedMap(new TreeMap<>(first));
        second = Collections.unmodifiableSortedMap(new TreeMap<>(second));
    }

    /** Who would lose requests if the first door closed; empty for nobody. */
    Optional<String> leftAtFirst() {
        return left(first, second, "second");
    }

    /** Who would lose requests if the second door closed; empty for nobody. */
    Optional<String> leftAtSecond() {
        return left(second, first, "first");
    }

    private static Optional<String> left(SortedMap<String, Integer> from, SortedMap<String, Integer> to, String door) {
        return from.entrySet().stream()
                .filter(client -> to.getOrDefault(client.getKey(), 0) < client.getValue())
                .map(client -> client.getKey() + " has " + to.getOrDefault(client.getKey(), 0) + " of "
                        + client.getValue() + " connections to the " + door + " door")
                .reduce((one, other) -> one + ", " + other);
    }
}
