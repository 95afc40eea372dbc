package dev.ouroboros.sandbox;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.sandbox.host.CgroupTree;
import dev.ouroboros.sandbox.node.NodeDisk;
import dev.ouroboros.sandbox.node.NodeLauncher;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.NodeNetwork;
import dev.ouroboros.sandbox.node.PowerSwitch;
import dev.ouroboros.sandbox.node.RunningNode;
import dev.ouroboros.sandbox.node.Subnet;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A node of a sandbox, whether it runs or not. */
public final class SandboxNode {
    private final NodePaths paths;
    private final NodeRecord record;
    private final Optional<Subnet> subnet;
    private final CgroupTree cgroups;
    private final NodeLauncher launcher;
    private final PowerSwitch power;
    private final NodeDisk nodeDisk;
    private final NodeNetwork network;
    private final Disk disk;

    /** @param subnet empty when its sandbox is not made yet */
    SandboxNode(
            NodePaths paths,
            NodeRecord record,
            Optional<Subnet> subnet,
            CgroupTree cgroups,
            NodeLauncher launcher,
            PowerSwitch power,
            NodeDisk nodeDisk,
            NodeNetwork network,
            Disk disk) {
        this.paths = paths;
        this.record = record;
        this.subnet = subnet;
        this.cgroups = cgroups;
        this.launcher = launcher;
        this.power = power;
        this.nodeDisk = nodeDisk;
        this.network = network;
        this.disk = disk;
    }

    public String name() {
        return record.name();
    }

    public NodePaths paths() {
        return paths;
    }

    /** Whether etcd began with a member here. */
    public boolean beganWithEtcd() {
        return record.etcd();
    }

    /** Whether it runs a member of etcd, as its kubelet's directory says; of one without power, whether it did when the sandbox was made. */
    public boolean hasEtcd() {
        return running()
                .filter(RunningNode::laidOut)
                .map(node -> disk.status(node.file(NodeLayout.ETCD_MANIFEST)).isPresent())
                .orElseGet(record::etcd);
    }

    /** Empty while its sandbox has no network. */
    public Optional<String> address() {
        return subnet.map(network -> network.nodeAddress(record.number()));
    }

    /** Its address, which it has since it was booted. */
    public String requireAddress() {
        return address().orElseThrow(() -> new IllegalStateException("node " + name() + " has no address yet"));
    }

    /** The node as it runs; empty when it does not. */
    public Optional<RunningNode> running() {
        return launcher.find();
    }

    /** The node as it runs; {@code next} is what to do when it does not. */
    public RunningNode requireRunning(String next) {
        return running()
                .orElseThrow(
                        () -> ProblemException.of(ErrorCode.NOT_FOUND, "node " + name(), "does not run", "", next));
    }

    /** Made and started as far as that is missing; connected to nobody, if it is new. */
    RunningNode start() {
        for (var directory : List.of(paths.directory(), paths.staging(), paths.logs())) {
            disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
        }
        nodeDisk.create(paths.diskImage());
        return running().filter(RunningNode::laidOut).orElseGet(() -> {
            power.clear();
            return launcher.start();
        });
    }

    /** Connects it, if it runs, as far as that is missing, with the host and the other nodes. */
    void connect(SandboxRecord sandbox) {
        running().filter(RunningNode::laidOut).ifPresent(node -> network.connect(sandbox.subnet(), record, node));
    }

    /** Loses its power, if it runs: its memory and what was not synced to its disk. {@link #clear} ends what is left of its processes. */
    Optional<Instant> cutPower() {
        return running().map(power::cut);
    }

    /** Removes what is left of it beside its files. */
    void clear() {
        power.clear();
    }

    /** The node as {@code ouro up} enters it, after ending what an interrupted {@code up} left running there. */
    public RunningNode forUp(RunningNode node) {
        return launcher.forUp(node);
    }

    /** The control group that holds its pods, relative to the root of every hierarchy. */
    public String cgroupRoot() {
        return cgroups.root();
    }
}
