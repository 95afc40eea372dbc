package dev.ouroboros.sandbox.node;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.sandbox.NodePaths;
import dev.ouroboros.sandbox.SandboxScripts;
import dev.ouroboros.sandbox.host.CgroupTree;
import dev.ouroboros.sandbox.host.CgroupTree.Leaf;
import dev.ouroboros.sandbox.host.ProcessKiller;
import dev.ouroboros.sandbox.host.ProcessTable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Starts, finds and kills the processes of a node. The list of processes is read from the kernel each time, never from a file. */
public final class NodeLauncher {
    private static final Duration LAY_OUT_TIMEOUT = Duration.ofSeconds(30);
    private static final int LINES_TO_REPORT = 5;
    private static final Set<Leaf> LEAVES = EnumSet.of(Leaf.NODE, Leaf.UP);
    /**
     * All mounts are private by default: none of the node's reaches the host, and none that the host makes later, which would be
     * writable, the node.
     */
    private static final List<String> UNSHARED =
            List.of("unshare", "--net", "--mount", "--pid", "--uts", "--ipc", "--fork", "--mount-proc");

    private final NodePaths paths;
    private final SandboxScripts scripts;
    private final CgroupTree cgroups;
    private final ProcessTable table;
    private final ProcessKiller killer;
    private final Processes processes;
    private final Disk disk;
    private final Waiting waiting;

    /** @param cgroups of the node */
    public NodeLauncher(
            NodePaths paths, CgroupTree cgroups, ProcessTable table, Processes processes, Disk disk, Waiting waiting) {
        this.paths = paths;
        this.scripts = new SandboxScripts(paths.sandbox(), disk);
        this.cgroups = cgroups;
        this.table = table;
        this.killer = new ProcessKiller(table, waiting);
        this.processes = processes;
        this.disk = disk;
        this.waiting = waiting;
    }

    /** The node, if its process 1 is alive. */
    public Optional<RunningNode> find() {
        return cgroups.processes().stream()
                .filter(table::isFirstOfNamespace)
                .findFirst()
                .map(pid -> new RunningNode(pid, paths.sandbox(), cgroups.paths(Leaf.NODE)));
    }

    /** Starts a node of which nothing is left but its disk, and waits until it is laid out. */
    public RunningNode start() {
        scripts.install();
        cgroups.create(LEAVES);
        List<String> command = new ArrayList<>(
                List.of("/bin/bash", paths.sandbox().launchScript().toString(), log().toString()));
        cgroups.paths(Leaf.NODE).forEach(leaf -> command.add(leaf.toString()));
        command.add("--");
        command.addAll(UNSHARED);
        command.addAll(List.of(
                "/bin/bash",
                paths.sandbox().supervisorScript().toString(),
                paths.directory().toString(),
                paths.node()));
        processes.run(Command.of(command)).orThrow();
        waiting.until(
                () -> find().map(RunningNode::laidOut)
                        .orElse(cgroups.processes().isEmpty()),
                LAY_OUT_TIMEOUT);
        return find().filter(RunningNode::laidOut).orElseThrow(this::notLaidOut);
    }

    /** The node as {@code ouro up} enters it, after ending what an earlier {@code up} left running there. */
    public RunningNode forUp(RunningNode node) {
        killer.kill(cgroups, Leaf.UP);
        return new RunningNode(node.pid(), node.sandbox(), cgroups.paths(Leaf.UP));
    }

    /** As {@link ProcessKiller#kill(CgroupTree)}, of the node. */
    public List<String> kill() {
        return killer.kill(cgroups);
    }

    private Path log() {
        return paths.logs().resolve("node.log");
    }

    private ProblemException notLaidOut() {
        List<String> lines = disk.readText(log()).orElse("").strip().lines().toList();
        String last = String.join(" | ", lines.subList(Math.max(0, lines.size() - LINES_TO_REPORT), lines.size()));
        return ProblemException.of(
                ErrorCode.PROCESS_FAILED,
                "node " + paths.node(),
                "did not start: " + (last.isEmpty() ? "it said nothing" : last),
                "",
                "see " + log());
    }
}
