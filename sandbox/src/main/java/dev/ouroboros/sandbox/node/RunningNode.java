package dev.ouroboros.sandbox.node;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.sandbox.SandboxPaths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A node whose process 1 is alive.
 *
 * @param pid of its process 1, as the host sees it
 * @param sandbox which it is of
 * @param cgroups that a command joins
 */
public record RunningNode(long pid, SandboxPaths sandbox, List<Path> cgroups) {
    public RunningNode {
        cgroups = List.copyOf(cgroups);
    }

    /** A file of the node as the host can reach it: through the root directory of its process 1. */
    public Path file(Path inside) {
        return Path.of("/proc", Long.toString(pid), "root").resolve(Path.of("/").relativize(inside));
    }

    /** Whether process 1 has laid out the file system and takes orders. */
    public boolean laidOut() {
        return Files.exists(file(NodeLayout.CONTROL));
    }

    /** Whether process 1 runs the kubelet's guard; that of an earlier ouro does not, until the node is booted again. */
    public boolean guardsKubelet() {
        return Files.exists(file(NodeLayout.GUARD_PAUSE));
    }

    public boolean alive() {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    /**
     * The same command inside the node, with the node's programs on its PATH and set up to talk to its cluster. It ends when
     * the node does.
     */
    public Command enter(Command command) {
        List<String> prefix =
                new ArrayList<>(List.of("/bin/bash", sandbox.enterScript().toString(), Long.toString(pid)));
        cgroups.forEach(cgroup -> prefix.add(cgroup.toString()));
        prefix.add("--");
        Command entered = command.behind(prefix);
        for (Map.Entry<String, String> variable : NodeLayout.ENVIRONMENT.entrySet()) {
            if (!command.environment().containsKey(variable.getKey())) {
                entered = entered.withEnvironment(variable.getKey(), variable.getValue());
            }
        }
        return entered;
    }

    /** Orders process 1 to start a service and to keep it running; without effect when it does already. */
    public void startService(String service) {
        order("start " + service);
    }

    /** Orders process 1 to end a service, which it then starts again; without effect when it does not run. */
    public void restartService(String service) {
        order("restart " + service);
    }

    /** Tells process 1 that the network is connected: it starts every service that is installed on the disk. */
    public void boot() {
        order("boot");
    }

    private void order(String order) {
        try {
            Files.writeString(file(NodeLayout.CONTROL), order + "\n", StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.PROCESS_FAILED,
                            "node process " + pid,
                            "takes no orders: " + e,
                            "",
                            "run 'ouro up --name " + sandbox.name() + "' again"),
                    e);
        }
    }
}
