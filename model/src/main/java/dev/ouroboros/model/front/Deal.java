package dev.ouroboros.model.front;

import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Which servers the new connections of a node's own clients are dealt to.
 *
 * @param doors where clients dial: a connection to one of them goes to one of the servers; to another place, where it wants
 * @param servers that may get connections; without any of a door's family its connections go where they want
 * @param dead servers whose connections are ended: whoever sends there gets a reset
 */
public record Deal(SortedSet<ServerAddress> doors, SortedSet<ServerAddress> servers, SortedSet<ServerAddress> dead) {
    public Deal {
        doors = sorted(doors);
        servers = sorted(servers);
        dead = sorted(dead);
        if (!Collections.disjoint(servers, dead)) {
            throw new IllegalArgumentException("a server cannot get connections and be dead: " + servers + ", " + dead);
        }
    }

    public static Deal of(
            Collection<ServerAddress> doors, Collection<ServerAddress> servers, Collection<ServerAddress> dead) {
        return new Deal(new TreeSet<>(doors), new TreeSet<>(servers), new TreeSet<>(dead));
    }

    /** Every connection goes where it wants. */
    public static Deal none() {
        return new Deal(new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
    }

    private static SortedSet<ServerAddress> sorted(SortedSet<ServerAddress> addresses) {
        return Collections.unmodifiableSortedSet(new TreeSet<>(addresses));
    }
}
