package dev.ouroboros.sandbox;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.sandbox.host.CgroupTree;
import dev.ouroboros.sandbox.host.CgroupTree.Leaf;
import dev.ouroboros.sandbox.node.NetworkSplit;
import dev.ouroboros.sandbox.node.NetworkSwitch;
import dev.ouroboros.sandbox.node.RunningNode;
import dev.ouroboros.sandbox.node.Subnet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** One sandbox: makes, finds and removes its nodes. Every operation can be killed at any moment and called again. */
public final class Sandbox {
    private final SandboxPaths paths;
    private final CgroupTree cgroups;
    private final SandboxRecords records;
    private final Teardown teardown;
    private final NetworkSwitch networkSwitch;
    private final BiFunction<NodeRecord, Optional<Subnet>, SandboxNode> nodes;
    private final Disk disk;

    /**
     * @param cgroups of all of it
     * @param nodes what a node consists of
     */
    Sandbox(
            SandboxPaths paths,
            CgroupTree cgroups,
            SandboxRecords records,
            Teardown teardown,
            NetworkSwitch networkSwitch,
            BiFunction<NodeRecord, Optional<Subnet>, SandboxNode> nodes,
            Disk disk) {
        this.paths = paths;
        this.cgroups = cgroups;
        this.records = records;
        this.teardown = teardown;
        this.networkSwitch = networkSwitch;
        this.nodes = nodes;
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

    /** Its nodes, the first one first; of a sandbox that is not made yet the one that it will have. */
    public List<SandboxNode> nodes() {
        Optional<SandboxRecord> record = record();
        Optional<Subnet> subnet = record.map(SandboxRecord::subnet);
        return record.map(SandboxRecord::nodes).orElseGet(() -> List.of(NodeRecord.first(name()))).stream()
                .map(node -> nodes.apply(node, subnet))
                .toList();
    }

    /** The node that it begins with, which has the asset directory. */
    public SandboxNode first() {
        return nodes().getFirst();
    }

    /** Its node of this name. */
    public Optional<SandboxNode> find(String node) {
        return nodes().stream().filter(each -> each.name().equals(node)).findFirst();
    }

    /** What a person wants to know about its nodes. */
    public List<NodeStatus> status() {
        Optional<SandboxRecord> record = record();
        NodeStatus.State started =
                record.map(SandboxRecord::complete).orElse(false) ? NodeStatus.State.RUNNING : NodeStatus.State.STARTED;
        return nodes().stream()
                .map(node -> {
                    Optional<Long> pid = node.running().map(RunningNode::pid);
                    return new NodeStatus(
                            node.name(),
                            name().value(),
                            pid.isPresent() ? started : NodeStatus.State.STOPPED,
                            node.address(),
                            pid,
                            record.flatMap(SandboxRecord::kubernetesVersion));
                })
                .toList();
    }

    /** Its first node, if that runs. */
    public Optional<RunningNode> node() {
        return first().running();
    }

    /** Its first node, which must run; {@code next} is what to do when it does not. */
    public RunningNode requireNode(String next) {
        return first().requireRunning(next);
    }

    /**
     * A node of it, made and booted as far as that is missing: disk, namespaces, file system, network, and the services that are
     * installed on its disk. A new one has none. Nodes that run and have lost their network get it again.
     *
     * @throws ProblemException NOT_FOUND when it was removed meanwhile
     */
    public RunningNode boot(SandboxNode node) {
        teardown.cutPowerOfEarlierVersions();
        SandboxRecord record = records.ensure(paths, Optional.empty());
        SandboxNode found = find(node.name())
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        "node " + node.name(),
                        "was removed meanwhile",
                        "",
                        "'ouro nodes' lists those that there are"));
        cgroups.create(EnumSet.noneOf(Leaf.class));
        cgroups.limitCpu(record.milliCpus());
        RunningNode started = found.start();
        nodes().forEach(each -> each.connect(record));
        started.boot();
        return started;
    }

    /**
     * As {@link #boot}, of its first node, in this network when the sandbox is new.
     *
     * @throws ProblemException NOT_FOUND when the network is in use, or the sandbox has another
     */
    public RunningNode bootFirst(Optional<Subnet> wanted) {
        records.ensure(paths, wanted);
        return boot(first());
    }

    /**
     * Nodes lose their power together, those that run: processes, memory and what was not synced to their disks. With the last one the network goes.
     *
     * @return when, by their names
     * @throws ProblemException with everything that stays of one of them
     */
    public Map<String, Instant> cutPower(List<SandboxNode> together) {
        teardown.cutPowerOfEarlierVersions();
        Map<String, Instant> cut = new HashMap<>();
        List<Problem> problems = new ArrayList<>();
        together.forEach(node ->
                collect(problems, () -> node.cutPower().ifPresent(moment -> cut.put(node.name(), moment))));
        // Whatever came of the others: one that runs on a disk that takes nothing any more must not answer.
        together.stream().filter(node -> cut.containsKey(node.name())).forEach(node -> collect(problems, node::clear));
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        if (nodes().stream().allMatch(each -> each.running().isEmpty())) {
            teardown.removeNetwork();
        }
        return cut;
    }

    private static void collect(List<Problem> problems, Runnable work) {
        try {
            work.run();
        } catch (ProblemException e) {
            problems.addAll(e.problems());
        }
    }

    /**
     * Splits the network between nodes.
     *
     * @param groups names of nodes that hear each other, and nobody of another group
     * @throws ProblemException NOT_FOUND for a name that no node has, BAD_USAGE when it is no split, PROCESS_FAILED when it has no network or the kernel
     *     refuses
     */
    public void split(List<List<String>> groups) {
        List<NodeRecord> all = record().map(SandboxRecord::nodes).orElseGet(List::of);
        NetworkSplit split = new NetworkSplit(groups.stream()
                .map(group -> group.stream().map(name -> named(name, all)).toList())
                .toList());
        exclusively(() -> {
            networkSwitch.split(split);
            return split;
        });
    }

    private NodeRecord named(String name, List<NodeRecord> all) {
        return all.stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        "GROUP",
                        "sandbox " + name() + " has no node '" + name + "'",
                        "of " + all.stream().map(NodeRecord::name).collect(Collectors.joining(", ")),
                        "name nodes of one sandbox, or say with --name which sandbox"));
    }

    /**
     * Takes a split away, if there is one.
     *
     * @throws ProblemException PROCESS_FAILED when it has no network
     */
    public void heal() {
        exclusively(() -> {
            networkSwitch.heal();
            return name();
        });
    }

    /** The name that the next node gets when nobody says another: the sandbox's with the lowest number from 2 on that no sandbox has. */
    public String nextName() {
        return IntStream.iterate(2, number -> number + 1)
                .mapToObj(number -> name() + "-" + number)
                .filter(candidate -> find(candidate).isEmpty() && !records.hasSandbox(candidate))
                .findFirst()
                .orElseThrow();
    }

    /**
     * One more node, which does not run yet.
     *
     * @throws ProblemException INVALID_FLAG when it is no name for a node, BAD_USAGE when it is taken
     */
    public SandboxNode add(String node) {
        return add(node, false);
    }

    /** As {@link #add(String)}, of one that is to run a member of etcd: only before there is a cluster. */
    public SandboxNode addEtcdMember() {
        return add(nextName(), true);
    }

    private SandboxNode add(String node, boolean etcd) {
        if (!SandboxName.isLabel(node)) {
            throw ProblemException.of(
                    ErrorCode.INVALID_FLAG,
                    "NODE",
                    "'" + node + "' is no name for a node",
                    "at most 63 lower-case letters, digits and hyphens, not first or last a hyphen",
                    "choose another, as in blue");
        }
        remember(record -> record.withNode(node, etcd));
        return find(node).orElseThrow();
    }

    /** @throws ProblemException BAD_USAGE when it is the first node, which has the asset directory, or runs a member of etcd */
    public void requireRemovable(SandboxNode node) {
        if (node.name().equals(first().name())) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "node " + node.name(),
                    "is the first of sandbox " + name() + ", which has the asset directory",
                    "another node",
                    "take the whole sandbox down: ouro down --name " + name());
        }
        if (node.running().isPresent() && node.hasEtcd()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "node " + node.name(),
                    "runs a member of etcd, which others count on",
                    "a node without etcd",
                    "have it leave first: ouro exec " + node.name()
                            + " -- ouro etcd leave (docs/etcd.md); where its disk is lost: ouro etcd remove "
                            + node.name());
        }
    }

    /**
     * Removes a node with all that it has.
     *
     * @throws ProblemException as {@link #requireRemovable}
     */
    public void removeNode(SandboxNode node) {
        requireRemovable(node);
        cutPower(List.of(node));
        node.clear();
        teardown.requireUnmounted(node.paths().directory());
        disk.deleteTree(node.paths().directory());
        remember(record -> record.withoutNode(node.name()));
    }

    /**
     * Lets all of its processes together have no more processor time than this, from now on and after a power cut.
     *
     * @param milliCpus in thousandths of a processor; empty for all that there is
     * @throws ProblemException MISSING_TOOL when the kernel cannot
     */
    public void limitCpu(Optional<Integer> milliCpus) {
        cgroups.limitCpu(milliCpus);
        remember(record -> record.withMilliCpus(milliCpus));
    }

    /** Changes what is kept about it. */
    public void remember(UnaryOperator<SandboxRecord> change) {
        records.write(paths, change.apply(records.ensure(paths, Optional.empty())));
    }

    /**
     * Looks whether a new one may have this network, and makes nothing.
     *
     * @throws ProblemException as {@link #bootFirst}
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
