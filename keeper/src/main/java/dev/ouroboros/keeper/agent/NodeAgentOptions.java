package dev.ouroboros.keeper.agent;

import dev.ouroboros.keeper.routes.PodNetwork;
import dev.ouroboros.model.front.ServerAddress;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.logging.Level;

/**
 * What a node's agent is told.
 *
 * @param nodeName of this machine's Node
 * @param kubeconfig as JSON
 * @param services of the API: where clients reach it on every node
 * @param directory of ours
 * @param manifests the kubelet's directory of static pods
 * @param staticPod the manifest of the static copy, if one is to be kept
 * @param staticCopy whether this process is that copy
 * @param podNetwork of nodes whose pods have ours
 * @param kubelet this node's, where it is looked after
 * @param healthPort on loopback
 */
public record NodeAgentOptions(
        String nodeName,
        Path kubeconfig,
        SortedSet<ServerAddress> services,
        Path directory,
        Path manifests,
        Optional<Path> staticPod,
        boolean staticCopy,
        Optional<PodNetwork> podNetwork,
        Optional<Kubelet> kubelet,
        int healthPort,
        Level logLevel) {
    /**
     * The node's kubelet.
     *
     * @param directory with its generations
     * @param certificate with its key, as which the Node is annotated: the agent itself may change nothing
     */
    public record Kubelet(Path directory, Path certificate) {}

    public NodeAgentOptions {
        services = Collections.unmodifiableSortedSet(new TreeSet<>(services));
    }
}
