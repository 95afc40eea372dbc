package dev.ouroboros.sandbox;

import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.sandbox.Leftover.Kind;
import dev.ouroboros.sandbox.host.CgroupTree;
import dev.ouroboros.sandbox.host.Links;
import dev.ouroboros.sandbox.host.LoopDevices;
import dev.ouroboros.sandbox.host.ProcessTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What there is of a sandbox on this machine, asked of the kernel: the proof that {@code down} left nothing. Namespaces need no
 * look of their own: they end with the last process in them or mount of them.
 */
final class SandboxInventory {
    private final SandboxPaths paths;
    private final CgroupTree cgroups;
    private final ProcessTable table;
    private final Links links;
    private final LoopDevices loops;
    private final Disk disk;

    SandboxInventory(
            SandboxPaths paths, CgroupTree cgroups, ProcessTable table, Links links, LoopDevices loops, Disk disk) {
        this.paths = paths;
        this.cgroups = cgroups;
        this.table = table;
        this.links = links;
        this.loops = loops;
        this.disk = disk;
    }

    /** Everything, also the files. */
    List<Leftover> take() {
        List<Leftover> found = new ArrayList<>(withoutFiles());
        if (Files.exists(paths.directory())) {
            found.add(new Leftover(Kind.FILES, paths.directory().toString()));
        }
        return List.copyOf(found);
    }

    /** What the kernel holds. Files must stay as long as any of it is there: it is found through them. */
    List<Leftover> withoutFiles() {
        List<Leftover> found = new ArrayList<>();
        cgroups.processes().forEach(pid -> found.add(new Leftover(Kind.PROCESS, table.describe(pid))));
        mounts().forEach(mount -> found.add(new Leftover(Kind.MOUNT, mount + heldBy(mount))));
        diskImages()
                .forEach(image -> loops.of(image).forEach(device -> found.add(new Leftover(Kind.LOOP_DEVICE, device))));
        if (links.has(paths.name().link(), paths.name().value())) {
            found.add(new Leftover(Kind.NETWORK_DEVICE, paths.name().link()));
        }
        cgroups.groups().forEach(group -> found.add(new Leftover(Kind.CGROUP, group.toString())));
        return List.copyOf(found);
    }

    /** The disks of all of its nodes: also of one that no record names, as it was left by a command that was killed. */
    List<Path> diskImages() {
        Stream<NodePaths> others = disk.list(paths.nodes()).stream().map(paths::node);
        return Stream.concat(Stream.of(paths.node(paths.name().node())), others)
                .map(NodePaths::diskImage)
                .toList();
    }

    /** The processes that keep a mount busy, for people. */
    private String heldBy(Path mount) {
        List<String> users = table.usersOf(mount);
        return users.isEmpty() ? "" : ", in use by " + String.join(", ", users);
    }

    /** Mounts below the sandbox's directory that the host sees; a node makes none, a person may. */
    List<Path> mounts() {
        return disk.readText(Path.of("/proc/self/mounts"))
                .orElse("")
                .lines()
                .map(line -> Path.of(line.split(" ", 3)[1]))
                .filter(place -> place.startsWith(paths.directory()))
                .toList();
    }
}
