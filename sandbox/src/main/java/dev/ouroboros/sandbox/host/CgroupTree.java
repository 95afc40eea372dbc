package dev.ouroboros.sandbox.host;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The control groups of a sandbox, or of a node of it: a directory of the same name below the root of every hierarchy, cgroup v1, v2 or
 * both. Processes are in its children ({@link Leaf}; v2 allows none in an inner group); the kubelet makes the groups of pods beside them.
 *
 * <p>Files of a cgroup file system are switches of the kernel, not files on a disk, so they are written in place.
 */
public final class CgroupTree {
    /** A group that processes are put into. */
    public enum Leaf {
        /** Of a node: its daemons, and what a person runs in it. */
        NODE,
        /** Of a node: what {@code ouro up} runs in it. Whoever holds the sandbox's lock may end what is left of an earlier one. */
        UP,
        /** Of a sandbox: what holds its network. */
        SWITCH;

        private String directory() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final String PROCESSES = "cgroup.procs";
    /** A node may be called as a leaf is. */
    private static final String NODE_PREFIX = "node-";
    /** The kernel's default period, in both cgroup versions (kernel: Documentation/scheduler/sched-bwc.rst, admin-guide/cgroup-v2.rst). */
    private static final int PERIOD_MICROSECONDS = 100_000;

    private final Disk disk;
    private final List<Path> hierarchies;
    private final Path name;

    /**
     * @param disk lists groups
     * @param hierarchies mount points of all hierarchies
     * @param name of the group in each of them
     */
    public CgroupTree(Disk disk, List<Path> hierarchies, String name) {
        this(disk, hierarchies, Path.of(name));
    }

    private CgroupTree(Disk disk, List<Path> hierarchies, Path name) {
        this.disk = disk;
        this.hierarchies = List.copyOf(hierarchies);
        this.name = name;
    }

    /** The control groups of a node of this sandbox. */
    public CgroupTree ofNode(String node) {
        return new CgroupTree(disk, hierarchies, name.resolve(NODE_PREFIX + node));
    }

    /** Makes what is missing of the group, of those that it is in, and of these in it. */
    public void create(Set<Leaf> leaves) {
        for (Path hierarchy : hierarchies) {
            try {
                Path group = hierarchy;
                for (Path part : name) {
                    group = makeIn(group, part.toString());
                }
                for (Leaf leaf : leaves) {
                    makeIn(group, leaf.directory());
                }
            } catch (IOException e) {
                throw failed(hierarchy.resolve(name), "cannot be set up", e);
            }
        }
    }

    private static Path makeIn(Path parent, String name) throws IOException {
        delegateControllers(parent);
        Path child = Files.createDirectories(parent.resolve(name));
        inheritCpus(parent, child);
        return child;
    }

    /**
     * Lets the processes of all of its groups together have no more processor time than this.
     *
     * @param milliCpus in thousandths of a processor, at least 10; empty for all that there is
     * @throws ProblemException MISSING_TOOL when no hierarchy has a controller that can
     */
    public void limitCpu(Optional<Integer> milliCpus) {
        Optional<Integer> quota = milliCpus.map(milli -> milli * (PERIOD_MICROSECONDS / 1000));
        boolean isLimited = false;
        for (Path hierarchy : hierarchies) {
            Path top = hierarchy.resolve(name);
            Path v1 = top.resolve("cpu.cfs_quota_us");
            Path v2 = top.resolve("cpu.max");
            try {
                if (Files.exists(v1)) {
                    Files.writeString(top.resolve("cpu.cfs_period_us"), Integer.toString(PERIOD_MICROSECONDS));
                    Files.writeString(v1, quota.map(String::valueOf).orElse("-1"));
                    isLimited = true;
                } else if (Files.exists(v2)) {
                    Files.writeString(v2, quota.map(String::valueOf).orElse("max") + " " + PERIOD_MICROSECONDS);
                    isLimited = true;
                }
            } catch (IOException e) {
                throw failed(top, "does not take a limit of its processor time", e);
            }
        }
        if (!isLimited && milliCpus.isPresent()) {
            throw ProblemException.of(
                    ErrorCode.MISSING_TOOL,
                    "--cpus",
                    "no control group of this machine limits processor time",
                    "controller cpu with bandwidth control (CONFIG_CFS_BANDWIDTH)",
                    "mount it below /sys/fs/cgroup, or leave --cpus out");
        }
    }

    /** The groups that a process joins. */
    public List<Path> paths(Leaf leaf) {
        return hierarchies.stream()
                .map(hierarchy -> hierarchy.resolve(name).resolve(leaf.directory()))
                .toList();
    }

    /** The group as the kubelet names it: relative to the root of every hierarchy. */
    public String root() {
        return "/" + name;
    }

    /** Every group of it that exists, a child before its parent. */
    public List<Path> groups() {
        return hierarchies.stream()
                .map(hierarchy -> hierarchy.resolve(name))
                .flatMap(this::descendants)
                .toList();
    }

    /** Process ids in any group of it. A process that is a zombie is in none. */
    public SortedSet<Long> processes() {
        SortedSet<Long> found = new TreeSet<>();
        groups().forEach(group -> found.addAll(processesIn(group)));
        return found;
    }

    /** Process ids in one leaf. */
    public SortedSet<Long> processes(Leaf leaf) {
        SortedSet<Long> found = new TreeSet<>();
        paths(leaf).forEach(group -> found.addAll(processesIn(group)));
        return found;
    }

    private static List<Long> processesIn(Path group) {
        try {
            return Files.readAllLines(group.resolve(PROCESSES)).stream()
                    .map(Long::valueOf)
                    .toList();
        } catch (IOException e) {
            if (!Files.exists(group)) {
                // It was removed since it was listed, and only an empty group can be removed.
                return List.of();
            }
            throw failed(group, "cannot be read", e);
        }
    }

    /**
     * Removes the groups that have no process in them.
     *
     * @return those that are left
     */
    public List<Path> removeEmpty() {
        for (Path group : groups()) {
            try {
                Files.deleteIfExists(group);
            } catch (IOException e) {
                // EBUSY: a process is in it, or one that just ended is not reaped yet. Whatever it is, it is among
                // those returned.
            }
        }
        return groups();
    }

    /** cgroup v1: a group without processors and memory nodes takes no process, and a new one has none. */
    private static void inheritCpus(Path parent, Path child) throws IOException {
        for (String file : List.of("cpuset.cpus", "cpuset.mems")) {
            boolean isV1 = Files.exists(child.resolve(file)) && !Files.exists(child.resolve("cgroup.controllers"));
            if (isV1 && Files.readString(child.resolve(file)).isBlank()) {
                Files.writeString(child.resolve(file), Files.readString(parent.resolve(file)));
            }
        }
    }

    /** cgroup v2: what a group may control it must be given by its parent, one controller at a time. */
    private static void delegateControllers(Path group) throws IOException {
        Path available = group.resolve("cgroup.controllers");
        if (!Files.exists(available)) {
            return;
        }
        Path delegated = group.resolve("cgroup.subtree_control");
        List<String> already = List.of(Files.readString(delegated).strip().split(" ", -1));
        for (String controller : Files.readString(available).strip().split(" ", -1)) {
            if (!controller.isEmpty() && !already.contains(controller)) {
                Files.writeString(delegated, "+" + controller);
            }
        }
    }

    private Stream<Path> descendants(Path top) {
        if (!Files.isDirectory(top)) {
            return Stream.of();
        }
        List<String> children = disk.list(top);
        // Children come first: a group is removed after them.
        return Stream.concat(
                children.stream().map(top::resolve).flatMap(this::descendants),
                Stream.of(top).filter(Files::isDirectory));
    }

    private static ProblemException failed(Path group, String what, IOException e) {
        return FileTrouble.of(group, what, e);
    }
}
