package dev.ouroboros.sandbox.node;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.FileSystemPower;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.sandbox.NodePaths;
import dev.ouroboros.sandbox.NodeRecord;
import dev.ouroboros.sandbox.host.CgroupTree;
import dev.ouroboros.sandbox.host.LoopDevices;
import dev.ouroboros.sandbox.host.MountTable;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes a node's power away. In this order:
 *
 * <ol>
 *   <li>it is disconnected from the switch: nobody outside hears of what comes now;
 *   <li>its disk dies: what is not on the device by then never gets there, and whoever waits for a sync gets an error;
 *   <li>every process is killed at once, process 1 first; with the last one go its memory-backed files, its network namespace with
 *       nftables rules and connection tracking, and the mounts;
 *   <li>its control groups are removed with all that the kubelet made in them;
 *   <li>the kernel gives the loop device back: only then will a mount read the disk, and not what memory says of it.
 * </ol>
 */
public final class PowerSwitch {
    private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(30);

    private final NodePaths paths;
    private final NodeRecord record;
    private final NodeLauncher launcher;
    private final CgroupTree cgroups;
    private final NetworkSwitch networkSwitch;
    private final LoopDevices loops;
    private final MountTable mounts;
    private final Waiting waiting;
    private final InstantSource time;

    /** @param cgroups of the node */
    public PowerSwitch(
            NodePaths paths,
            NodeRecord record,
            NodeLauncher launcher,
            CgroupTree cgroups,
            NetworkSwitch networkSwitch,
            LoopDevices loops,
            MountTable mounts,
            Waiting waiting,
            InstantSource time) {
        this.paths = paths;
        this.record = record;
        this.launcher = launcher;
        this.cgroups = cgroups;
        this.networkSwitch = networkSwitch;
        this.loops = loops;
        this.mounts = mounts;
        this.waiting = waiting;
        this.time = time;
    }

    /**
     * Cuts the power of a node that runs, as far as that is heard of or found on its disk; {@link #clear} is to follow.
     *
     * @return when; what the node had synced before is on its disk, and nothing that it wrote after
     */
    public Instant cut(RunningNode node) {
        // A node that is not laid out yet has started nothing that writes, and its disk may not be mounted.
        if (node.laidOut()) {
            // The kernel may report success to a sync that the cut interrupts: nobody outside may hear of that.
            networkSwitch.disconnect(record);
            FileSystemPower.cut(node.file(NodeLayout.DISK));
        }
        return time.instant();
    }

    /**
     * Removes what is left of a node that does not run, or not properly: a node is switched on from nothing but its disk.
     *
     * @throws ProblemException with everything that cannot be removed
     */
    public void clear() {
        List<Problem> problems = new ArrayList<>();
        launcher.kill().forEach(process -> problems.add(stays("process " + process)));
        networkSwitch.disconnect(record);
        Path image = paths.diskImage();
        if (!waiting.until(() -> loops.of(image).isEmpty(), RELEASE_TIMEOUT)) {
            loops.of(image).forEach(device -> problems.add(stays(device + ", mounted at " + mounts.mountsOf(device))));
        }
        if (!waiting.until(() -> cgroups.removeEmpty().isEmpty(), RELEASE_TIMEOUT)) {
            cgroups.groups().forEach(group -> problems.add(stays("control group " + group)));
        }
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
    }

    private Problem stays(String what) {
        return new Problem(
                ErrorCode.PROCESS_FAILED,
                "node " + paths.node(),
                "has no power, and still there is " + what,
                "",
                "end what holds it, then run the same command again");
    }
}
