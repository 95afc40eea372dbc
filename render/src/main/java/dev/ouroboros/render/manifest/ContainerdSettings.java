package dev.ouroboros.render.manifest;

import dev.ouroboros.model.registry.RegistryAccess;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How containerd is set up on a node (version 2 of its configuration: containerd 1.5 and newer, and 2, which converts it). Where it finds
 * mirrors is always said, so that some can be added without a restart.
 *
 * @param pauseImage image of every pod's first container
 * @param systemdCgroups whether runc asks systemd for control groups, as the kubelet's {@code cgroupDriver} says
 * @param mayLowerOomScore whether processes may get a lower OOM score than containerd has, which needs CAP_SYS_RESOURCE; without
 *     it runc fails with "can't get final child's PID from pipe" unless containerd is told not to try
 * @param podNetwork whether it makes the pods' network of {@link CniSettings#template}; otherwise an add-on brings one
 */
public record ContainerdSettings(
        String pauseImage, boolean systemdCgroups, boolean mayLowerOomScore, boolean podNetwork) {
    public static final String SOCKET = "/run/containerd/containerd.sock";
    public static final String STORE = "/var/lib/containerd";

    private static final Pattern PAUSE_IMAGE = Pattern.compile("\\s*sandbox_image = \"([^\"]+)\"\\s*");

    /** CAP_SYS_RESOURCE is capability 24. */
    private static final long SYS_RESOURCE = 1L << 24;

    /**
     * Whether a process, and so what it starts, may lower the OOM score of a process.
     *
     * @param status its {@code /proc/PID/status}
     */
    public static boolean mayLowerOomScore(String status) {
        return status.lines()
                .filter(line -> line.startsWith("CapEff:"))
                .map(line -> Long.parseUnsignedLong(
                        line.substring("CapEff:".length()).strip(), 16))
                .anyMatch(capabilities -> (capabilities & SYS_RESOURCE) != 0);
    }

    /** The image of every pod's first container that a file of {@link #configuration} says; empty of another file. */
    public static Optional<String> pauseImage(String configuration) {
        return configuration
                .lines()
                .map(PAUSE_IMAGE::matcher)
                .filter(Matcher::matches)
                .map(matcher -> matcher.group(1))
                .findFirst();
    }

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
                        SystemdCgroup = %b

                  [plugins."io.containerd.grpc.v1.cri".registry]
                    config_path = "%s"

                  [plugins."io.containerd.grpc.v1.cri".cni]
                    bin_dir = "%s"
                    conf_dir = "%s"
                %s""".formatted(
                        STORE,
                        SOCKET,
                        pauseImage,
                        !mayLowerOomScore,
                        systemdCgroups,
                        RegistryAccess.DIRECTORY,
                        CniSettings.PLUGINS,
                        CniSettings.DIRECTORY,
                        podNetwork ? "    conf_template = \"" + CniSettings.TEMPLATE + "\"\n" : "");
    }
}
