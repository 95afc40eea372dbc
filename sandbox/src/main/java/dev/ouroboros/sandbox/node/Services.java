package dev.ouroboros.sandbox.node;

import dev.ouroboros.core.manifest.CniSettings;
import dev.ouroboros.core.manifest.ContainerdSettings;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Waiting;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The daemons of a node: containerd and the kubelet. Process 1 keeps them running, also after the node was booted again; this writes
 * what they read.
 */
public final class Services {
    private static final String CONTAINERD = "containerd";
    private static final String KUBELET = "kubelet";
    private static final Duration CONTAINERD_TIMEOUT = Duration.ofSeconds(60);
    private static final String CONFIGURATION_FILE = "rw-r--r--";
    private static final String DIRECTORY = "rwxr-xr-x";

    private final Processes processes;
    private final Disk disk;
    private final Waiting waiting;

    public Services(Processes processes, Disk disk, InstantSource time) {
        this.processes = processes;
        this.disk = disk;
        this.waiting = new Waiting(time);
    }

    /** Whether this process, and so a node that it makes, may lower the OOM score of a process. */
    public boolean mayLowerOomScore() {
        return disk.readText(Path.of("/proc/self/status"))
                .map(ContainerdSettings::mayLowerOomScore)
                .orElse(false);
    }

    /** Sets up and starts containerd, and waits until it answers. */
    public void startContainerd(RunningNode node, ContainerdSettings containerd, CniSettings cni) {
        write(node, NodeLayout.CONTAINERD_CONFIG, containerd.configuration());
        write(node, NodeLayout.CNI_CONFIG, cni.configuration());
        start(node, CONTAINERD, "", List.of("containerd", "--config", NodeLayout.CONTAINERD_CONFIG.toString()));
        Path socket = node.file(NodeLayout.CONTAINERD_SOCKET);
        boolean answers = waiting.until(
                () -> processes
                        // Not "version", which asks for an id that a power cut may have left empty, for ever.
                        .run(Command.of("ctr", "--address", socket.toString(), "namespaces", "list"))
                        .succeeded(),
                CONTAINERD_TIMEOUT);
        if (!answers) {
            throw ProblemException.of(
                    ErrorCode.COMPONENT_FAILED,
                    CONTAINERD,
                    "does not answer after " + CONTAINERD_TIMEOUT.toSeconds() + " s",
                    "",
                    "see logs/" + CONTAINERD + ".log in the sandbox's directory");
        }
    }

    /** Starts the kubelet, whose files are written. */
    public void startKubelet(RunningNode node, List<String> command) {
        start(node, KUBELET, """
                # As After= says it to systemd: a kubelet that finds no runtime ends.
                until ctr --address %s namespaces list >/dev/null 2>&1; do sleep 0.1; done
                date --utc +%%FT%%T.%%3NZ >>%s
                # The credential provider for Amazon's registry asks the metadata service of a cloud that we are not in.
                export AWS_EC2_METADATA_DISABLED=true
                """.formatted(NodeLayout.CONTAINERD_SOCKET, NodeLayout.KUBELET_STARTS), command);
    }

    private void start(RunningNode node, String service, String preparation, List<String> command) {
        String words = command.stream().map(Services::quote).collect(Collectors.joining(" "));
        write(node, NodeLayout.SERVICES.resolve(service), preparation + "exec " + words + "\n");
        node.startService(service);
    }

    private void write(RunningNode node, Path inside, String content) {
        Path file = node.file(inside);
        disk.createDirectories(file.resolveSibling("."), DIRECTORY);
        disk.write(file, content.getBytes(StandardCharsets.UTF_8), CONFIGURATION_FILE);
    }

    private static String quote(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
