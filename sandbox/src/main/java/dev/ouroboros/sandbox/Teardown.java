package dev.ouroboros.sandbox;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.sandbox.host.CgroupTree;
import dev.ouroboros.sandbox.host.CgroupTree.Leaf;
import dev.ouroboros.sandbox.host.LoopDevices;
import dev.ouroboros.sandbox.host.ProcessKiller;
import dev.ouroboros.sandbox.node.NetworkSwitch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes a sandbox down, whatever state it is in: complete, half-made, or left by a crash of the machine.
 *
 * <ol>
 *   <li>kill every process in its cgroups, process 1 of each node first, and with the last one the network;
 *   <li>remove the host's end of its network;
 *   <li>unmount what a person mounted in its directory, waiting a while for whoever is in there;
 *   <li>wait until the kernel has given back its loop devices, and detach those that are not mounted;
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
    private final ProcessKiller killer;
    private final CgroupTree cgroups;
    private final NetworkSwitch networkSwitch;
    private final LoopDevices loops;
    private final SandboxInventory inventory;
    private final Disk disk;
    private final Waiting waiting;
    private final Processes processes;

    Teardown(
            SandboxPaths paths,
            ProcessKiller killer,
            CgroupTree cgroups,
            NetworkSwitch networkSwitch,
            LoopDevices loops,
            SandboxInventory inventory,
            Disk disk,
            Waiting waiting,
            Processes processes) {
        this.paths = paths;
        this.killer = killer;
        this.cgroups = cgroups;
        this.networkSwitch = networkSwitch;
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
        killer.kill(cgroups);
        networkSwitch.remove();
        waiting.until(this::unmount, BUSY_TIMEOUT);
        for (Path image : inventory.diskImages()) {
            if (!waiting.until(() -> loops.of(image).isEmpty(), RELEASE_TIMEOUT)) {
                loops.of(image).forEach(loops::detach);
            }
        }
        waiting.until(() -> cgroups.removeEmpty().isEmpty(), RELEASE_TIMEOUT);
        if (inventory.withoutFiles().isEmpty()) {
            disk.deleteTree(paths.directory());
        }
        return inventory.take();
    }

    /**
     * An earlier ouro had the groups of its one node beside those of the sandbox: its disk must not be mounted twice.
     *
     * @throws ProblemException PROCESS_FAILED when it stays
     */
    void cutPowerOfEarlierVersions() {
        List<String> left = new ArrayList<>(killer.kill(cgroups, Leaf.UP));
        left.addAll(killer.kill(cgroups, Leaf.NODE));
        if (!left.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.PROCESS_FAILED,
                    "sandbox " + paths.name(),
                    "has a node of an earlier ouro that does not end: " + String.join(", ", left),
                    "",
                    "end what holds it, then run the same command again");
        }
    }

    /**
     * Nobody's files are removed through a mount.
     *
     * @throws ProblemException PROCESS_FAILED with what is mounted below a directory
     */
    void requireUnmounted(Path directory) {
        List<Path> mounted = inventory.mounts().stream()
                .filter(mount -> mount.startsWith(directory))
                .toList();
        if (!mounted.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.PROCESS_FAILED,
                    directory.toString(),
                    "is not removed: something is mounted there, " + mounted,
                    "",
                    "unmount it (umount " + mounted.getFirst() + "), then run the same command again");
        }
    }

    /** Removes what connects the nodes, of which none runs. */
    void removeNetwork() {
        networkSwitch.remove();
        waiting.until(() -> cgroups.removeEmpty().isEmpty(), RELEASE_TIMEOUT);
    }

    /** Whether nothing is mounted any more. A mount that is busy stays, and is looked for again. */
    private boolean unmount() {
        inventory.mounts().reversed().forEach(mount -> processes.run(Command.of("umount", mount.toString())));
        return inventory.mounts().isEmpty();
    }
}
