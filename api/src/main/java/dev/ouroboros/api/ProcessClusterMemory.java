package dev.ouroboros.api;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** The cluster's identity for as long as a process lives: the first that answers is the process's own. */
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

    /** Nobody asks for the version. */
    @Override
    public void served(String version) {}
}
