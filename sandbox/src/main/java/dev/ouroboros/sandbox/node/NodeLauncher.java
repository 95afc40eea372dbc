package dev.ouroboros.sandbox.node;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.sandbox.SandboxPaths;
import dev.ouroboros.sandbox.host.CgroupTree;
import dev.ouroboros.sandbox.host.CgroupTree.Leaf;
import dev.ouroboros.sandbox.host.ProcessTable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Starts, finds and kills the processes of a node. The list of processes is read from the kernel each time, never from a file. */
public final class NodeLauncher {
    private static final Duration LAY_OUT_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration KILL_TIMEOUT = Duration.ofSeconds(30);
    private static final int LINES_TO_REPORT = 5;

    private final SandboxPaths paths;
    private final CgroupTree cgroups;
    private final ProcessTable table;
    private final Processes processes;
    private final Disk disk;
    private final Waiting waiting;

    public NodeLauncher(
            SandboxPaths paths,
            CgroupTree cgroups,
            ProcessTable table,
            Processes processes,
            Disk disk,
            Waiting waiting) {
        this.paths = paths;
        this.cgroups = cgroups;
        this.table = table;
        this.processes = processes;
        this.disk = disk;
        this.waiting = waiting;
    }

    /** The node, if its process 1 is alive. */
    public Optional<RunningNode> find() {
        return cgroups.processes().stream()
                .filter(table::isFirstOfNamespace)
                .findFirst()
                .map(pid -> new RunningNode(pid, paths.enterScript(), cgroups.paths(Leaf.NODE)));
    }

    /** Starts a node of which nothing is left but its disk, and waits until it is laid out. */
    public RunningNode start() {
        installScripts();
        cgroups.create();
        List<String> command = new ArrayList<>(List.of(
                "/bin/bash",
                paths.launchScript().toString(),
                paths.directory().toString(),
                paths.name().node()));
        cgroups.paths(Leaf.NODE).forEach(leaf -> command.add(leaf.toString()));
        processes.run(Command.of(command)).orThrow();
        waiting.until(
                () -> find().map(RunningNode::laidOut)
                        .orElse(cgroups.processes().isEmpty()),
                LAY_OUT_TIMEOUT);
        return find().filter(RunningNode::laidOut).orElseThrow(this::notLaidOut);
    }

    /** As {@link CgroupTree#limitCpu}. */
    public void limitCpu(Optional<Integer> milliCpus) {
        cgroups.limitCpu(milliCpus);
    }

    /** The node as {@code ouro up} enters it, after ending what an earlier {@code up} left running there. */
    public RunningNode forUp(RunningNode node) {
        waiting.until(
                () -> {
                    cgroups.processes(Leaf.UP).forEach(NodeLauncher::destroy);
                    return cgroups.processes(Leaf.UP).isEmpty();
                },
                KILL_TIMEOUT);
        return new RunningNode(node.pid(), node.enterScript(), cgroups.paths(Leaf.UP));
    }

    /**
     * Kills every process of the node at once, as a power cut does.
     *
     * @return those that are still there after a while, described
     */
    public List<String> kill() {
        // With process 1 the kernel kills all that is in its PID namespace; the helper outside of it ends with it.
        find().ifPresent(node -> destroy(node.pid()));
        boolean gone = waiting.until(
                () -> {
                    cgroups.processes().forEach(NodeLauncher::destroy);
                    return cgroups.processes().isEmpty();
                },
                KILL_TIMEOUT);
        return gone
                ? List.of()
                : cgroups.processes().stream().map(table::describe).toList();
    }

    private static void destroy(long pid) {
        if (pid == ProcessHandle.current().pid()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "sandbox",
                    "a node cannot take itself down",
                    "",
                    "run this command outside of the node");
        }
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }

    private void installScripts() {
        install("launch.sh", paths.launchScript());
        install("supervisor.sh", paths.supervisorScript());
        install("enter.sh", paths.enterScript());
    }

    private void install(String resource, Path file) {
        try (InputStream stream = SandboxPaths.class.getResourceAsStream(resource)) {
            if (stream == null) {
                throw new IllegalStateException("resource " + resource + " is missing from the build");
            }
            disk.write(file, stream.readAllBytes(), "rwx------");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ProblemException notLaidOut() {
        Path log = paths.logs().resolve("node.log");
        List<String> lines = disk.readText(log).orElse("").strip().lines().toList();
        String last = String.join(" | ", lines.subList(Math.max(0, lines.size() - LINES_TO_REPORT), lines.size()));
        return ProblemException.of(
                ErrorCode.PROCESS_FAILED,
                "node " + paths.name().node(),
                "did not start: " + (last.isEmpty() ? "it said nothing" : last),
                "",
                "see " + log);
    }
}
