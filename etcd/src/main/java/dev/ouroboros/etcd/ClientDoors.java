package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.Doors;
import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.etcd.decide.TemporaryMember;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.libc.SystemCallFailed;
import dev.ouroboros.node.libc.TcpConnections;
import dev.ouroboros.node.port.Listener;
import dev.ouroboros.node.port.Listeners;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The two ports of a node at which clients reach its etcd, as the kernel and the node's API servers tell of them. Members dial themselves and each other's ports do not count: how often a member
 * does so is chance (its gateway takes one of its listeners, etcd#15589).
 */
final class ClientDoors {
    private final String host;
    private final int first;
    private final int second;
    private final Listeners listeners;
    private final TcpConnections connections = new TcpConnections();

    ClientDoors(EtcdMemberPod etcd, Listeners listeners) {
        this.host = URI.create(etcd.clientUrl()).getHost();
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

    /**
     * Requires that the API servers of this node know the second door; those of other nodes, and of other ports, are seen by their connections.
     *
     * @throws ProblemException CHANGE_REFUSED when one does not
     */
    void requireKnown() {
        for (int port : List.of(Component.API_SERVER.port(), Component.API_SERVER.understudyPort())) {
            for (Listener listener : listeners.on(port).orElse(List.of())) {
                requireKnown(new CommandLine(List.of(listener.command().split(" ", -1))));
            }
        }
    }

    /**
     * Requires that the API servers of this node know another member.
     *
     * @param urls client URLs of the others
     * @throws ProblemException CHANGE_REFUSED when one does not
     */
    void requireOthersKnown(List<String> urls) {
        for (int port : List.of(Component.API_SERVER.port(), Component.API_SERVER.understudyPort())) {
            for (Listener listener : listeners.on(port).orElse(List.of())) {
                List<URI> known =
                        etcdServers(new CommandLine(List.of(listener.command().split(" ", -1))));
                if (!known.isEmpty() && urls.stream().map(URI::create).noneMatch(url -> reaches(known, url))) {
                    throw ProblemException.of(
                            ErrorCode.CHANGE_REFUSED,
                            "kube-apiserver: --etcd-servers",
                            "names none of the other members: it would have no etcd while that one is started anew",
                            "one of " + String.join(", ", urls),
                            "add them to the API server's flags, which the keeper exchanges without an outage (docs/etcd.md)");
                }
            }
        }
    }

    private static boolean reaches(List<URI> known, URI member) {
        return known.stream()
                .anyMatch(url -> url.getPort() == member.getPort()
                        && String.valueOf(url.getHost()).equals(member.getHost()));
    }

    private static List<URI> etcdServers(CommandLine apiServer) {
        return Stream.of(apiServer.value("etcd-servers").orElse("").split(",", -1))
                .map(String::strip)
                .filter(url -> !url.isEmpty())
                .map(URI::create)
                .toList();
    }

    private void requireKnown(CommandLine apiServer) {
        List<URI> known = etcdServers(apiServer);
        boolean hasBoth = known.stream()
                .filter(url -> url.getPort() == second)
                .anyMatch(door -> known.stream()
                        .anyMatch(
                                url -> url.getPort() == first && door.getHost().equals(url.getHost())));
        if (known.isEmpty() || hasBoth) {
            return;
        }
        throw ProblemException.of(
                ErrorCode.CHANGE_REFUSED,
                "kube-apiserver: --etcd-servers",
                "is " + known + ": it would have no etcd while that one is started anew",
                "beside https://" + host + ":" + first + " a second URL, https://" + host + ":" + second,
                "add it to the API server's flags, which the keeper exchanges without an outage (docs/etcd.md)");
    }
}
