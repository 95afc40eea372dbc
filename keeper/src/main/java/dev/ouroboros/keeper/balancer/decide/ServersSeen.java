package dev.ouroboros.keeper.balancer.decide;

import dev.ouroboros.model.front.ServerAddress;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The API servers of a cluster as one node sees them.
 *
 * @param members where control-plane nodes take connections
 * @param lastResorts where such nodes were once, or may be; the own one is none
 * @param health of those that were asked
 * @param own of this node, if it is one of the control plane
 * @param services at which clients reach the API as well
 */
public record ServersSeen(
        SortedSet<ServerAddress> members,
        SortedSet<ServerAddress> lastResorts,
        SortedMap<ServerAddress, RemoteHealth> health,
        Optional<OwnServer> own,
        SortedSet<ServerAddress> services) {
    public ServersSeen {
        members = Collections.unmodifiableSortedSet(new TreeSet<>(members));
        lastResorts = others(lastResorts, own);
        health = Collections.unmodifiableSortedMap(new TreeMap<>(health));
        services = Collections.unmodifiableSortedSet(new TreeSet<>(services));
    }

    private static SortedSet<ServerAddress> others(SortedSet<ServerAddress> servers, Optional<OwnServer> own) {
        SortedSet<ServerAddress> others = new TreeSet<>(servers);
        own.ifPresent(here -> {
            others.remove(here.principal());
            others.remove(here.understudy());
        });
        return Collections.unmodifiableSortedSet(others);
    }

    /** Members but for this node. */
    public SortedSet<ServerAddress> others() {
        return others(members, own);
    }

    /**
     * Whether clients belong to this node's own server while it serves: not before it is a member, nor once it is none any more, when it is about to end.
     */
    boolean ownIsMember() {
        return own.filter(here -> members.contains(here.principal())).isPresent();
    }

    RemoteHealth healthOf(ServerAddress server) {
        return health.getOrDefault(server, RemoteHealth.NOT_ASKED);
    }
}
