package dev.ouroboros.bench;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The keeper of a control-plane node, or the agent of another one, at one moment: the process that works, and its children.
 *
 * @param cpuSeconds of both since they started, those children that ended included
 */
record NodeDaemon(ProcessSample working, List<ProcessSample> children, double cpuSeconds) {
    /** Both run this class; whoever waits for a lock is a program of that name until it becomes the JVM. */
    private static final String MAIN = "dev.ouroboros.keeper.KeeperMain";

    private static final String WAITING = "flock ";
    private static final double TICKS_A_SECOND = 100;

    /** @param all processes of the node */
    static NodeDaemon of(List<ProcessSample> all) {
        ProcessSample working = all.stream()
                .filter(sample -> sample.commandLine().contains(MAIN)
                        && !sample.commandLine().contains(WAITING))
                .findFirst()
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        "the node",
                        "has no keeper or agent that works",
                        "",
                        "kubectl -n kube-system logs of its pod says why"));
        List<ProcessSample> children =
                all.stream().filter(sample -> sample.parent() == working.pid()).toList();
        long ticks = working.cpuTicks()
                + children.stream().mapToLong(ProcessSample::cpuTicks).sum();
        return new NodeDaemon(working, children, ticks / TICKS_A_SECOND);
    }

    static ProcessMemory memory(Path procfs, List<ProcessSample> of) throws IOException {
        List<ProcessMemory> memory = new ArrayList<>();
        for (ProcessSample sample : of) {
            memory.add(ProcessMemory.read(procfs.resolve(Long.toString(sample.pid()))));
        }
        return ProcessMemory.sum(memory);
    }
}
