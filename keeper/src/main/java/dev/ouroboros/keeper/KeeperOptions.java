package dev.ouroboros.keeper;

import dev.ouroboros.keeper.decide.KeeperSettings;
import dev.ouroboros.keeper.routes.PodNetwork;
import dev.ouroboros.model.front.FrontSpec;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.logging.Level;

/**
 * What a keeper is told. Enough to work when no API server answers.
 *
 * @param nodeName of this machine's Node
 * @param podName of the pod it runs in, if it runs in one
 * @param nodeAddress of the node, as its API server is reached
 * @param server URL of the API: the front
 * @param front what the front stands before
 * @param kubeconfig as JSON
 * @param runtimeSocket of the container runtime
 * @param manifestDirectory of the kubelet
 * @param stateDirectory of ours
 * @param bootstrapSecrets where start copies keys to
 * @param podLogs where the kubelet keeps the logs of containers
 * @param podNetwork of nodes whose pods have ours
 * @param kubelet directory with the generations of this node's kubelet, where it is looked after
 * @param healthPort on loopback
 */
public record KeeperOptions(
        String nodeName,
        Optional<String> podName,
        String nodeAddress,
        URI server,
        FrontSpec front,
        Path kubeconfig,
        Path runtimeSocket,
        Path manifestDirectory,
        Path stateDirectory,
        Path bootstrapSecrets,
        Path podLogs,
        Optional<PodNetwork> podNetwork,
        Optional<Path> kubelet,
        int healthPort,
        KeeperSettings settings,
        Level logLevel) {
    /** A static pod's name is the one in its manifest, followed by the node's. */
    public boolean staticCopy() {
        return podName.equals(Optional.of("ouroboros-keeper-" + nodeName));
    }
}
