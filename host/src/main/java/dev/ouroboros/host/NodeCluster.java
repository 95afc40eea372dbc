package dev.ouroboros.host;

import dev.ouroboros.host.decide.NodePool;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a node's cluster is like, as far as the node's own setup depends on it. */
interface NodeCluster {
    /** Authority, kubeconfig of the kubelet and etcd's files, by the paths that they have in an asset directory. */
    Map<String, String> texts();

    /** An API server; empty when none is named, which is a problem that was noted. */
    Optional<URI> server();

    Optional<InetAddress> clusterDns();

    String clusterDomain();

    /** Addresses that exist within the cluster alone. */
    List<String> clusterBlocks();

    NodePool pool();

    /** The address from which this machine reaches the API server. Connecting a datagram socket sends nothing. */
    default Optional<InetAddress> ownAddress(List<Problem> problems) {
        Optional<URI> server = server();
        if (server.isEmpty()) {
            return Optional.empty();
        }
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(
                    server.get().getHost(), Math.max(1, server.get().getPort())));
            return Optional.of(socket.getLocalAddress())
                    .filter(address -> !address.isLoopbackAddress() && !address.isAnyLocalAddress());
        } catch (SocketException | UncheckedIOException e) {
            problems.add(new Problem(
                    ErrorCode.BAD_USAGE,
                    "--node-address",
                    "this machine has no way to the API server " + server.get() + ": " + e.getMessage(),
                    "an address of this machine",
                    "say it with --node-address"));
            return Optional.empty();
        }
    }
}
