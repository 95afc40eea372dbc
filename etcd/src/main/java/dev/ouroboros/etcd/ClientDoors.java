package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.Doors;
import dev.ouroboros.etcd.decide.LoneEtcdPod;
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
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The two ports of a node at which clients reach its etcd, as the kernel and the node's API servers tell of them. */
final class ClientDoors {
    private final int first;
    private final int second;
    private final TcpConnections connections = new TcpConnections();

    ClientDoors(LoneEtcdPod etcd) {
        this.first = etcd.clientPort();
        this.second = TemporaryMember.SECOND_DOOR.port(first);
    }

    Evidence<Doors> connections() {
        try {
            return Evidence.known(
                    new Doors(byText(connections.acceptedAt(first)), byText(connections.acceptedAt(second))));
        } catch (SystemCallFailed e) {
            return Evidence.unknown(String.valueOf(e.getMessage()));
        }
    }

    private static NavigableMap<String, Integer> byText(Map<InetAddress, Integer> clients) {
        NavigableMap<String, Integer> byText = new TreeMap<>();
        clients.forEach((address, count) -> byText.put(address.getHostAddress(), count));
        return byText;
    }

    /**
     * Requires that the API servers of this node know the second door; those of other nodes are seen by their connections.
     *
     * @throws ProblemException CHANGE_REFUSED when one does not
     */
    void requireKnown(Listeners listeners) {
        for (int port : List.of(Component.API_SERVER.port(), Component.API_SERVER.understudyPort())) {
            for (Listener listener : listeners.on(port).orElse(List.of())) {
                requireKnown(new CommandLine(List.of(listener.command().split(" ", -1))));
            }
        }
    }

    private void requireKnown(CommandLine command) {
        String urls = command.value("etcd-servers").orElse("");
        if (urls.isEmpty() || List.of(urls.split(",", -1)).stream().anyMatch(url -> url.endsWith(":" + second))) {
            return;
        }
        throw ProblemException.of(
                ErrorCode.CHANGE_REFUSED,
                "kube-apiserver: --etcd-servers",
                "is " + urls + ": it would have no etcd while that one is started anew",
                "a second URL, of the same host and port " + second,
                "add it to the API server's flags, which the keeper exchanges without an outage (docs/etcd.md)");
    }
}
