package dev.ouroboros.node.doctor;

import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.port.Listeners;
import dev.ouroboros.node.process.Processes;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** All checks of a machine: before it becomes a control-plane node, or when one has trouble. */
public final class HostDoctor {
    private static final Path ROOT = Path.of("/");
    /** What a node's daemons write to, beside etcd. */
    private static final List<Path> WRITTEN = List.of(
            Path.of("/var/lib/kubelet"),
            Path.of("/var/lib/containerd"),
            Path.of(StateLayout.DIRECTORY),
            Path.of("/etc/kubernetes"));

    private final List<Check> checks;

    /**
     * @param storage where etcd keeps its data; its nearest existing parent is measured
     */
    public HostDoctor(Disk disk, Processes processes, Path storage) {
        this.checks = List.of(
                new PortCheck(Listeners.ofThisMachine()),
                new FrontCheck(processes),
                new FirewallCheck(processes),
                new PathCheck(processes, Listeners.ofThisMachine()),
                new MemoryCheck(disk, ROOT),
                new SwapCheck(disk, ROOT),
                new CgroupCheck(disk, ROOT),
                new ForwardingCheck(disk, ROOT),
                new PodNetworkStateCheck(disk, ROOT),
                new MtuCheck(disk, ROOT, MtuCheck::here),
                new ClockCheck(),
                new DiskSpaceCheck(
                        processes,
                        Stream.concat(Stream.of(storage), WRITTEN.stream()).toList()),
                new DiskLatencyCheck(storage));
    }

    /** The findings of all checks, in the order in which they were made. */
    public List<Finding> examine() {
        return checks.stream().flatMap(HostDoctor::findings).toList();
    }

    /** A check that could not look says so: the others go on. */
    private static Stream<Finding> findings(Check check) {
        try {
            return check.run().stream();
        } catch (ProblemException e) {
            return Stream.of(Finding.unknown(
                    check.getClass().getSimpleName().replace("Check", "").toLowerCase(Locale.ROOT),
                    String.valueOf(e.getMessage())));
        }
    }
}
