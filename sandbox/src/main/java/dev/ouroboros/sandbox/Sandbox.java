package dev.ouroboros.sandbox;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.sandbox.node.NodeDisk;
import dev.ouroboros.sandbox.node.NodeLauncher;
import dev.ouroboros.sandbox.node.NodeNetwork;
import dev.ouroboros.sandbox.node.PowerSwitch;
import dev.ouroboros.sandbox.node.RunningNode;
import dev.ouroboros.sandbox.node.Subnet;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** One sandbox: makes, finds and removes its node. Every operation can be killed at any moment and called again. */
public final class Sandbox {
    private final SandboxPaths paths;
    private final NodeLauncher launcher;
    private final PowerSwitch power;
    private final NodeDisk nodeDisk;
    private final NodeNetwork network;
    private final SandboxRecords records;
    private final Teardown teardown;
    private final Disk disk;

    Sandbox(
            SandboxPaths paths,
            NodeLauncher launcher,
            PowerSwitch power,
            NodeDisk nodeDisk,
            NodeNetwork network,
            SandboxRecords records,
            Teardown teardown,
            Disk disk) {
        this.paths = paths;
        this.launcher = launcher;
        this.power = power;
        this.nodeDisk = nodeDisk;
        this.network = network;
        this.records = records;
        this.teardown = teardown;
        this.disk = disk;
    }

    public SandboxName name() {
        return paths.name();
    }

    public SandboxPaths paths() {
        return paths;
    }

    public Optional<SandboxRecord> record() {
        return records.read(paths);
    }

    /** What a person wants to know about its node. */
    public NodeStatus status() {
        Optional<SandboxRecord> record = record();
        Optional<Long> pid = node().map(RunningNode::pid);
        boolean complete = record.map(SandboxRecord::complete).orElse(false);
        NodeStatus.State started = complete ? NodeStatus.State.RUNNING : NodeStatus.State.STARTED;
        return new NodeStatus(
                name().node(),
                name().value(),
                pid.isPresent() ? started : NodeStatus.State.STOPPED,
                record.map(known -> known.subnet().nodeAddress()),
                pid,
                record.flatMap(SandboxRecord::kubernetesVersion));
    }

    /** Its node, if that runs. */
    public Optional<RunningNode> node() {
        return launcher.find();
    }

    /** Its node, which must run; {@code next} is what to do when it does not. */
    public RunningNode requireNode(String next) {
        return node().orElseThrow(() ->
                ProblemException.of(ErrorCode.NOT_FOUND, "sandbox " + name(), "its node does not run", "", next));
    }

    /**
     * Its node, made and booted as far as that is missing: disk, namespaces, file system, network, and the services that are
     * installed on its disk. A new one has none.
     */
    public RunningNode ensureNode() {
        return ensureNode(Optional.empty());
    }

    /**
     * As {@link #ensureNode()}, in this network when it is new.
     *
     * @throws ProblemException NOT_FOUND when the network is in use, or the sandbox has another
     */
    public RunningNode ensureNode(Optional<Subnet> wanted) {
        SandboxRecord record = records.ensure(paths, wanted);
        for (var directory : List.of(paths.staging(), paths.logs())) {
            disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
        }
        nodeDisk.create(paths.diskImage());
        RunningNode node = node().filter(RunningNode::laidOut).orElseGet(() -> {
            power.clear();
            return launcher.start();
        });
        launcher.limitCpu(record.milliCpus());
        network.connect(name(), record.subnet(), node);
        node.boot();
        return node;
    }

    /**
     * Its node loses its power, if it runs: processes, memory and what was not synced to its disk.
     *
     * @return when
     */
    public Optional<Instant> cutPower() {
        return node().map(power::cut);
    }

    /** The node as {@code ouro up} enters it, after ending what an interrupted {@code up} left running there. */
    public RunningNode forUp(RunningNode node) {
        return launcher.forUp(node);
    }

    /**
     * Lets all of its processes together have no more processor time than this, from now on and after a power cut.
     *
     * @param milliCpus in thousandths of a processor; empty for all that there is
     * @throws ProblemException MISSING_TOOL when the kernel cannot
     */
    public void limitCpu(Optional<Integer> milliCpus) {
        launcher.limitCpu(milliCpus);
        remember(record -> record.withMilliCpus(milliCpus));
    }

    /** The control group that holds its pods, relative to the root of every hierarchy. */
    public String cgroupRoot() {
        return "/" + name().cgroup();
    }

    /** Changes what is kept about it. */
    public void remember(UnaryOperator<SandboxRecord> change) {
        records.write(paths, change.apply(records.ensure(paths, Optional.empty())));
    }

    /**
     * Looks whether a new one may have this network, and makes nothing.
     *
     * @throws ProblemException as {@link #ensureNode(Optional)}
     */
    public void requireNetwork(Subnet wanted) {
        records.require(paths, wanted);
    }

    /**
     * Does something while no other process changes the sandbox. When that has made no sandbox, lock and directory are removed.
     *
     * @throws ProblemException LOCKED with the process that does
     */
    public <T> T exclusively(Supplier<T> work) {
        try (VanishingLock _ = VanishingLock.acquire(paths.lock(), "sandbox " + name(), disk)) {
            try {
                return work.get();
            } finally {
                records.removeUnlessMade(paths);
            }
        }
    }

    /** What of it exists on this machine. */
    public List<Leftover> inventory() {
        return teardown.inventory();
    }

    /**
     * Removes it.
     *
     * @return what could not be removed; empty is the proof that nothing is left
     */
    public List<Leftover> remove() {
        return exclusively(() -> {
            return teardown.run();
        });
    }
}
