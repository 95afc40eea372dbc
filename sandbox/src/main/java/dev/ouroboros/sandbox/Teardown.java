package dev.ouroboros.sandbox;

import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.sandbox.Leftover.Kind;
import dev.ouroboros.sandbox.host.CgroupTree;
import dev.ouroboros.sandbox.host.Links;
import dev.ouroboros.sandbox.host.LoopDevices;
import dev.ouroboros.sandbox.node.NodeLauncher;
import java.time.Duration;
import java.util.List;

/**
 * Takes a sandbox down, whatever state it is in: complete, half-made, or left by a crash of the machine.
 *
 * <ol>
 *   <li>kill every process in its cgroups, process 1 of the node first;
 *   <li>remove the host's end of its network;
 *   <li>unmount what a person mounted in its directory, waiting a while for whoever is in there;
 *   <li>wait until the kernel has given back its loop device, and detach one that is not mounted;
 *   <li>remove its cgroups;
 *   <li>when none of these is left, remove its directory.
 * </ol>
 *
 * Each step looks at what there is and may find nothing, so that it can be run again and again.
 */
final class Teardown {
    private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(15);
    /** What keeps a mount busy is a person's process: it may be about to end, and we do not end it. */
    private static final Duration BUSY_TIMEOUT = Duration.ofSeconds(5);

    private final SandboxPaths paths;
    private final NodeLauncher launcher;
    private final CgroupTree cgroups;
    private final Links links;
    private final LoopDevices loops;
    private final SandboxInventory inventory;
    private final Disk disk;
    private final Waiting waiting;
    private final Processes processes;

    Teardown(
            SandboxPaths paths,
            NodeLauncher launcher,
            CgroupTree cgroups,
            Links links,
            LoopDevices loops,
            SandboxInventory inventory,
            Disk disk,
            Waiting waiting,
            Processes processes) {
        this.paths = paths;
        this.launcher = launcher;
        this.cgroups = cgroups;
        this.links = links;
        this.loops = loops;
        this.inventory = inventory;
        this.disk = disk;
        this.waiting = waiting;
        this.processes = processes;
    }

    /** What there is to take down. */
    List<Leftover> inventory() {
        return inventory.take();
    }

    /**
     * @return what could not be removed
     */
    List<Leftover> run() {
        launcher.kill();
        links.disconnect(paths.name().link(), paths.name().value());
        waiting.until(this::unmount, BUSY_TIMEOUT);
        if (!waiting.until(() -> loops.of(paths.diskImage()).isEmpty(), RELEASE_TIMEOUT)) {
            loops.of(paths.diskImage()).forEach(loops::detach);
        }
        waiting.until(() -> cgroups.removeEmpty().isEmpty(), RELEASE_TIMEOUT);
        if (inventory.withoutFiles().isEmpty()) {
            disk.deleteTree(paths.directory());
        }
        return inventory.take();
    }

    /** Whether nothing is mounted any more. A mount that is busy stays, and is looked for again. */
    private boolean unmount() {
        inventory.mounts().reversed().forEach(mount -> processes.run(Command.of("umount", mount.toString())));
        return inventory.mounts().isEmpty();
    }

    /** Whether anything but files is there: then something of the sandbox runs. */
    boolean isRunning() {
        return inventory.withoutFiles().stream().anyMatch(leftover -> leftover.kind() == Kind.PROCESS);
    }
}
