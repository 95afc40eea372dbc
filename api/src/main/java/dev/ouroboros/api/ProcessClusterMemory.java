package dev.ouroboros.api;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Remembers the cluster's identity as long as the process lives: the first cluster that answers is ours. */
public final class ProcessClusterMemory implements ClusterGuard.ClusterMemory {
    private final AtomicReference<Optional<String>> cluster = new AtomicReference<>(Optional.empty());

    @Override
    public Optional<String> clusterId() {
        return cluster.get();
    }

    @Override
    public void adopt(String clusterId) {
        cluster.set(Optional.of(clusterId));
    }

    /** Not remembered: nobody asks for the version. */
    @Override
    public void served(String version) {}
}
