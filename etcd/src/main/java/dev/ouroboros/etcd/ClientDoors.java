package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.Doors;
import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.etcd.decide.TemporaryMember;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.node.libc.SystemCallFailed;
import dev.ouroboros.node.libc.TcpConnections;
import dev.ouroboros.node.port.Listeners;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The two ports of a node at which clients reach its etcd, as the kernel and the node's API servers tell of them. Members dial themselves and each other's ports do not count: how often a member
 * does so is chance (its gateway takes one of its listeners, etcd#15589).
 */
public final class ClientDoors {
    private final int first;
    private final int second;
    private final Listeners listeners;
    private final TcpConnections connections = new TcpConnections();

    /** Of a node's member. */
    public ClientDoors(EtcdMemberPod etcd, Listeners listeners) {
        this.first = etcd.clientPort();
        this.second = TemporaryMember.SECOND_DOOR.port(first);
        this.listeners = listeners;
    }

    /** Unknown also while it is not known which connections are etcd's own. */
    Evidence<Doors> connections() {
        return listeners
                .on(first)
                .flatMap(atFirst -> listeners.on(second).flatMap(atSecond -> {
                    Set<Long> own = new HashSet<>();
                    Stream.concat(atFirst.stream(), atSecond.stream())
                            .forEach(etcd -> own.addAll(listeners.socketsOf(etcd.process())));
                    try {
                        return Evidence.known(new Doors(clients(first, own), clients(second, own)));
                    } catch (SystemCallFailed e) {
                        return Evidence.unknown(String.valueOf(e.getMessage()));
                    }
                }));
    }

    /** Who is connected to the first port, as in {@code 10.0.0.1 (74 connections)}; empty when nobody is, or nothing listens there. */
    public Evidence<Optional<String>> clientsAtFirst() {
        return listeners.on(first).flatMap(owners -> {
            Set<Long> own = new HashSet<>();
            owners.forEach(etcd -> own.addAll(listeners.socketsOf(etcd.process())));
            try {
                return Evidence.known(clients(first, own).entrySet().stream()
                        .map(client -> client.getKey() + " (" + client.getValue() + " connections)")
                        .reduce((one, other) -> one + ", " + other));
            } catch (SystemCallFailed e) {
                return Evidence.unknown(String.valueOf(e.getMessage()));
            }
        });
    }

    private NavigableMap<String, Integer> clients(int port, Set<Long> own) throws SystemCallFailed {
        Map<InetSocketAddress, Long> local = connections.connectedTo(port);
        NavigableMap<String, Integer> clients = new TreeMap<>();
        for (InetSocketAddress client : connections.acceptedAt(port)) {
            Long socket = local.get(client);
            if (socket == null || !own.contains(socket)) {
                clients.merge(client.getAddress().getHostAddress(), 1, Integer::sum);
            }
        }
        return clients;
    }
}
