package dev.ouroboros.bootstrap;

import dev.ouroboros.bootstrap.decide.PivotSettings;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * What {@code start} is told.
 *
 * @param assetDirectory what {@code ouro render} or {@code bootkube render} wrote
 * @param podManifestPath where the kubelet looks for static manifests
 * @param stateDirectory where journal and lock lie
 * @param nodeName name of this machine's Node
 * @param nodeAddress this machine's address when the API endpoint's name does not lead to one of its own
 * @param preparedAddress the address that this machine was prepared with: it counts where the endpoint leads elsewhere and nobody says another
 * @param kubeletRestart a shell command that restarts the kubelet, run when the kubelet could join and has not
 * @param outageAllowed whether the API may go away for some seconds where it cannot be handed over otherwise
 * @param adopt whether the manifests of others are altered before they are applied, so that what we promise holds
 * @param takesOver whether what this node's keeper has started in place of the control plane is removed first
 * @param requiredPods namespace/name of workloads that must be ready before the switch; empty for those of the manifests
 * @param restored when etcd was restored from a snapshot for this start; what ran before is of a former life
 */
public record StartOptions(
        Path assetDirectory,
        Path podManifestPath,
        Path stateDirectory,
        String nodeName,
        Optional<InetAddress> nodeAddress,
        Optional<InetAddress> preparedAddress,
        Optional<String> kubeletRestart,
        boolean outageAllowed,
        boolean adopt,
        boolean takesOver,
        Set<String> requiredPods,
        PivotSettings settings,
        Optional<Instant> restored) {
    public StartOptions {
        requiredPods = Set.copyOf(requiredPods);
    }

    /** The same for an etcd that was restored at this moment. */
    public StartOptions restoredAt(Instant moment) {
        return new StartOptions(
                assetDirectory,
                podManifestPath,
                stateDirectory,
                nodeName,
                nodeAddress,
                preparedAddress,
                kubeletRestart,
                outageAllowed,
                adopt,
                takesOver,
                requiredPods,
                settings,
                Optional.of(moment));
    }
}
