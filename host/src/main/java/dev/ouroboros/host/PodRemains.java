package dev.ouroboros.host;

import dev.ouroboros.host.decide.HostFiles;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.render.manifest.CniSettings;
import dev.ouroboros.render.manifest.ContainerdSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the pods of a kubelet that was stopped leave: containers, mounts, network namespaces, a bridge. */
final class PodRemains {
    /** The namespace that containerd's CRI plugin keeps to itself: every container in it is a kubelet's. */
    private static final String NAMESPACE = "k8s.io";

    private static final Duration SHIM_LIMIT = Duration.ofSeconds(10);
    private static final String NETWORK_NAMESPACES = "/run/netns";
    private static final String NETWORK_NAMESPACE_PREFIX = "cni-";

    private final HostTree tree;
    private final Processes processes;
    private final Waiting waiting;
    private final Duration limit;

    /** @param limit how long all containers may take to end */
    PodRemains(HostTree tree, Processes processes, InstantSource time, Duration limit) {
        this.limit = limit;
        this.tree = tree;
        this.processes = processes;
        this.waiting = new Waiting(time);
    }

    /**
     * Kills and removes all containers of the kubelet. containerd's CRI plugin clears up after a container that has ended, at the same time: that
     * something is gone already is no failure, and only what is there in the end counts.
     *
     * <p>A containerd that lost its database lists processes of containers that it does not know, and cannot end them: they end with their shims.
     */
    void endContainers() {
        boolean ended = waiting.until(
                () -> {
                    Set<String> running =
                            new TreeSet<>(lines(ctr("tasks", "ls", "--quiet").orThrow()));
                    running.retainAll(containers());
                    running.forEach(id -> ctr("tasks", "delete", "--force", id));
                    return running.isEmpty();
                },
                limit);
        boolean removed = ended
                && waiting.until(
                        () -> {
                            List<String> there = containers();
                            there.forEach(id -> ctr("containers", "delete", id));
                            return there.isEmpty();
                        },
                        limit);
        if (!removed) {
            throw ProblemException.of(
                    ErrorCode.PROCESS_FAILED,
                    "containerd",
                    "does not end the kubelet's containers: "
                            + String.join(
                                    " ",
                                    lines(ctr("containers", "ls", "--quiet").output())),
                    "",
                    "run this again, with a longer --timeout if this machine is slow: it goes on; 'ctr --namespace k8s.io tasks ls' shows them");
        }
    }

    private List<String> containers() {
        return lines(ctr("containers", "ls", "--quiet").orThrow());
    }

    /** Ends shims that are left: one outlives a container that containerd forgot, and for a moment one whose container has just ended. */
    void endShims() {
        if (waiting.until(() -> shims().isEmpty(), SHIM_LIMIT)) {
            return;
        }
        shims().forEach(shim -> {
            shim.descendants().forEach(ProcessHandle::destroyForcibly);
            shim.destroyForcibly();
        });
        if (!waiting.until(() -> shims().isEmpty(), limit)) {
            throw ProblemException.of(
                    ErrorCode.PROCESS_FAILED,
                    "containerd-shim",
                    "does not end although it was killed: process "
                            + shims().stream()
                                    .map(shim -> Long.toString(shim.pid()))
                                    .collect(Collectors.joining(" ")),
                    "",
                    "see what it waits for: cat /proc/PROCESS/stack; then run this again: it goes on");
        }
    }

    /** The shims of the kubelet's containers, one each. Those of a sandbox on this machine are in a mount namespace of their own, and not meant. */
    private static List<ProcessHandle> shims() {
        Optional<Path> own = mountNamespace("self");
        return ProcessHandle.allProcesses()
                .filter(process -> own.equals(mountNamespace(Long.toString(process.pid()))))
                .filter(process -> process.info()
                        .commandLine()
                        .filter(command -> command.contains("containerd-shim") && command.contains(NAMESPACE))
                        .isPresent())
                .toList();
    }

    private static Optional<Path> mountNamespace(String process) {
        try {
            return Optional.of(Files.readSymbolicLink(Path.of("/proc", process, "ns", "mnt")));
        } catch (IOException e) {
            // It has ended.
            return Optional.empty();
        }
    }

    /** Unmounts what is mounted below the kubelet's directory, the deepest first: Secrets and projected volumes are file systems in memory. */
    void removeMounts() {
        for (String mount : mountsBelow(HostFiles.KUBELET_ROOT)) {
            processes.run(Command.of("umount", mount)).orThrow();
        }
    }

    /** Removes the pods' network namespaces; a pod's end of the bridge goes with its namespace. */
    void removeNetworks(boolean bridge) {
        networkNamespaces()
                .forEach(name ->
                        processes.run(Command.of("ip", "netns", "delete", name)).orThrow());
        if (bridge && hasBridge()) {
            processes
                    .run(Command.of("ip", "link", "delete", CniSettings.BRIDGE))
                    .orThrow();
        }
    }

    /** What pods have left that is still there. */
    List<String> left(boolean bridge) {
        List<String> left = new ArrayList<>();
        // Looked for by its processes, because containerd may be off by now.
        shims().forEach(shim -> left.add(
                "process " + shim.pid() + " " + shim.info().commandLine().orElse("containerd-shim")));
        mountsBelow(HostFiles.KUBELET_ROOT).forEach(mount -> left.add("mount " + mount));
        networkNamespaces().forEach(name -> left.add("network namespace " + name));
        if (bridge && hasBridge()) {
            left.add("network device " + CniSettings.BRIDGE);
        }
        return left;
    }

    boolean isMount(String directory) {
        return tree.isThisMachine() && mounts().contains(directory);
    }

    private List<String> mountsBelow(String directory) {
        return mounts().stream()
                .filter(mount -> mount.startsWith(directory + "/"))
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
    }

    private List<String> mounts() {
        return tree.disk().readText(tree.at("/proc/self/mounts")).stream()
                .flatMap(String::lines)
                .map(line -> line.split(" ", 3)[1])
                .toList();
    }

    private List<String> networkNamespaces() {
        return tree.disk().list(tree.at(NETWORK_NAMESPACES)).stream()
                .filter(name -> name.startsWith(NETWORK_NAMESPACE_PREFIX))
                .toList();
    }

    private boolean hasBridge() {
        return tree.disk()
                .status(tree.at("/sys/class/net/" + CniSettings.BRIDGE))
                .isPresent();
    }

    /** Whether somebody else has containers in containerd, for example Docker. */
    boolean othersUseContainerd() {
        return lines(inContainerd("namespaces", "ls", "--quiet").orThrow()).stream()
                .filter(namespace -> !namespace.equals(NAMESPACE))
                .anyMatch(namespace -> !lines(inContainerd("--namespace", namespace, "containers", "ls", "--quiet")
                                .orThrow())
                        .isEmpty());
    }

    private Result ctr(String... arguments) {
        return inContainerd(Stream.concat(Stream.of("--namespace", NAMESPACE), Stream.of(arguments))
                .toArray(String[]::new));
    }

    private Result inContainerd(String... arguments) {
        List<String> all = new ArrayList<>(List.of("ctr", "--address", ContainerdSettings.SOCKET));
        all.addAll(List.of(arguments));
        return processes.run(Command.of(all));
    }

    private static List<String> lines(String output) {
        return output.lines().filter(line -> !line.isBlank()).toList();
    }
}
