package dev.ouroboros.sandbox.host;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Waiting;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Kills what is in control groups, until nothing is: what is forked meanwhile too. */
public final class ProcessKiller {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final ProcessTable table;
    private final Waiting waiting;

    public ProcessKiller(ProcessTable table, Waiting waiting) {
        this.table = table;
        this.waiting = waiting;
    }

    /**
     * Kills every process of these groups. With process 1 of a node the kernel kills all that is in its PID namespace at once, as a power
     * cut does; the helper outside of that ends with it.
     *
     * @return those that are still there after a while, described
     */
    public List<String> kill(CgroupTree cgroups) {
        Collection<Long> found = cgroups.processes();
        requireOthers(found);
        destroy(found.stream().filter(table::isFirstOfNamespace));
        return killAll(cgroups::processes);
    }

    /** As {@link #kill(CgroupTree)}, of one leaf. */
    public List<String> kill(CgroupTree cgroups, CgroupTree.Leaf leaf) {
        return killAll(() -> cgroups.processes(leaf));
    }

    private List<String> killAll(Supplier<? extends Collection<Long>> processes) {
        boolean gone = waiting.until(
                () -> {
                    Collection<Long> found = processes.get();
                    requireOthers(found);
                    destroy(found.stream());
                    return processes.get().isEmpty();
                },
                TIMEOUT);
        return gone ? List.of() : processes.get().stream().map(table::describe).toList();
    }

    /** Before the first one is killed: nobody would be left who finds that this process is one of them. */
    private static void requireOthers(Collection<Long> processes) {
        if (processes.contains(ProcessHandle.current().pid())) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "sandbox",
                    "a node cannot take itself down",
                    "",
                    "run this command outside of the node");
        }
    }

    private static void destroy(Stream<Long> processes) {
        processes.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    }
}
