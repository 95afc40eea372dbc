package dev.ouroboros.cli.etcd;

import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.runtime.ContainerRuntime;
import dev.ouroboros.runtime.cri.CriRuntime;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Option;

/** Where this node has its member of etcd. */
public final class EtcdNodeOptions {
    private static final Duration RUNTIME_LIMIT = Duration.ofSeconds(5);

    @Option(
            names = "--etcd-manifest",
            paramLabel = "FILE",
            defaultValue = "/etc/kubernetes/manifests/etcd.yaml",
            description = "etcd's manifest, where the kubelet looks for it (default: ${DEFAULT-VALUE}).")
    private Path manifest = Path.of("");

    @Option(
            names = "--runtime-socket",
            paramLabel = "FILE",
            defaultValue = "/run/containerd/containerd.sock",
            description = "Of the container runtime (default: ${DEFAULT-VALUE}).")
    private Path runtimeSocket = Path.of("");

    public Path manifest() {
        return manifest.toAbsolutePath();
    }

    public ContainerRuntime runtime() {
        return new CriRuntime(runtimeSocket, RUNTIME_LIMIT);
    }

    /** Where locks and journals lie. */
    public static Path state() {
        return Path.of(StateLayout.DIRECTORY);
    }
}
