package dev.ouroboros.sandbox.node;

import java.nio.file.Path;

/**
 * How containerd is set up in a node (version 2 of its configuration: containerd 1.3 and newer).
 *
 * @param pauseImage image of every pod's first container
 * @param mayLowerOomScore whether processes may get a lower OOM score than containerd has, which needs CAP_SYS_RESOURCE; without
 *     it runc fails with "can't get final child's PID from pipe" unless containerd is told not to try
 */
public record ContainerdSettings(String pauseImage, boolean mayLowerOomScore) {
    /** The configuration file. Plugins that a node cannot use are off, so that they do not fail in the log. */
    public String configuration() {
        return """
                version = 2
                root = "%s"
                state = "/run/containerd"
                disabled_plugins = [
                  "io.containerd.internal.v1.opt",
                  "io.containerd.snapshotter.v1.aufs",
                  "io.containerd.snapshotter.v1.btrfs",
                  "io.containerd.snapshotter.v1.devmapper",
                  "io.containerd.snapshotter.v1.zfs",
                  "io.containerd.tracing.processor.v1.otlp",
                ]

                [grpc]
                  address = "%s"

                [plugins."io.containerd.grpc.v1.cri"]
                  sandbox_image = "%s"
                  restrict_oom_score_adj = %b

                  [plugins."io.containerd.grpc.v1.cri".containerd]
                    snapshotter = "overlayfs"
                    default_runtime_name = "runc"

                    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
                      runtime_type = "io.containerd.runc.v2"

                      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
                        SystemdCgroup = false

                  [plugins."io.containerd.grpc.v1.cri".cni]
                    bin_dir = "%s"
                    conf_dir = "%s"
                """.formatted(
                        NodeLayout.CONTAINERD_STORE,
                        NodeLayout.CONTAINERD_SOCKET,
                        pauseImage,
                        !mayLowerOomScore,
                        NodeLayout.CNI_PLUGINS,
                        directoryOf(NodeLayout.CNI_CONFIG));
    }

    private static Path directoryOf(Path file) {
        return file.resolveSibling(".").normalize();
    }
}
