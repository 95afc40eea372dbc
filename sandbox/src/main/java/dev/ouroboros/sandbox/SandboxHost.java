package dev.ouroboros.sandbox;

import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.sandbox.host.CgroupMounts;
import dev.ouroboros.sandbox.host.CgroupTree;
import dev.ouroboros.sandbox.host.Links;
import dev.ouroboros.sandbox.host.LoopDevices;
import dev.ouroboros.sandbox.host.MountTable;
import dev.ouroboros.sandbox.host.ProcessKiller;
import dev.ouroboros.sandbox.host.ProcessTable;
import dev.ouroboros.sandbox.node.NetworkSwitch;
import dev.ouroboros.sandbox.node.NodeDisk;
import dev.ouroboros.sandbox.node.NodeLauncher;
import dev.ouroboros.sandbox.node.NodeNetwork;
import dev.ouroboros.sandbox.node.PowerSwitch;
import dev.ouroboros.sandbox.node.Subnet;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** This machine, on which sandboxes are: wires what one of them consists of. */
public final class SandboxHost {
    private final Path root;
    private final Processes processes;
    private final Disk disk;
    private final InstantSource time;
    private final List<Path> hierarchies;

    /**
     * @param root directory of all sandboxes
     */
    public SandboxHost(Path root, Processes processes, Disk disk, InstantSource time) {
        this.root = withoutLinks(root.toAbsolutePath().normalize());
        this.processes = processes;
        this.disk = disk;
        this.time = time;
        this.hierarchies = CgroupMounts.find(disk);
    }

    /** As the kernel names it where it lists mounts; of a directory that is yet to be made, those above it that there are. */
    private static Path withoutLinks(Path path) {
        for (Path existing = path; existing != null; existing = existing.getParent()) {
            try {
                return existing.toRealPath().resolve(existing.relativize(path));
            } catch (IOException e) {
                // It is not there: the one above it may be.
            }
        }
        return path;
    }

    /** Sandboxes that have a directory on this machine, in the order of their names. */
    public List<Sandbox> sandboxes() {
        return records().names().stream().map(this::sandbox).toList();
    }

    private SandboxRecords records() {
        return new SandboxRecords(root, new Links(processes), disk, time, new Waiting(time));
    }

    public Sandbox sandbox(SandboxName name) {
        SandboxPaths paths = new SandboxPaths(root, name);
        CgroupTree cgroups = new CgroupTree(disk, hierarchies, name.cgroup());
        ProcessTable table = new ProcessTable();
        Links links = new Links(processes);
        LoopDevices loops = new LoopDevices(processes);
        Waiting waiting = new Waiting(time);
        ProcessKiller killer = new ProcessKiller(table, waiting);
        NetworkSwitch networkSwitch = new NetworkSwitch(paths, cgroups, links, killer, processes, disk, waiting);
        SandboxInventory inventory = new SandboxInventory(paths, cgroups, table, links, loops, disk);
        Teardown teardown =
                new Teardown(paths, killer, cgroups, networkSwitch, loops, inventory, disk, waiting, processes);
        return new Sandbox(
                paths,
                cgroups,
                records(),
                teardown,
                networkSwitch,
                (record, subnet) -> node(paths.node(record.name()), record, subnet, cgroups, networkSwitch),
                disk);
    }

    private SandboxNode node(
            NodePaths paths,
            NodeRecord record,
            Optional<Subnet> subnet,
            CgroupTree sandbox,
            NetworkSwitch networkSwitch) {
        CgroupTree cgroups = sandbox.ofNode(record.name());
        ProcessTable table = new ProcessTable();
        Waiting waiting = new Waiting(time);
        NodeLauncher launcher = new NodeLauncher(paths, cgroups, table, processes, disk, waiting);
        PowerSwitch power = new PowerSwitch(
                paths,
                record,
                launcher,
                cgroups,
                networkSwitch,
                new LoopDevices(processes),
                new MountTable(table),
                waiting,
                time);
        return new SandboxNode(
                paths,
                record,
                subnet,
                cgroups,
                launcher,
                power,
                new NodeDisk(processes, disk),
                new NodeNetwork(networkSwitch, processes),
                disk);
    }
}
