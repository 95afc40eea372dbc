package dev.ouroboros.sandbox.up;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FreeSpace;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a sandbox needs of this machine. All that is missing is said at once. */
public final class Requirements {
    /** The node's programs; the kubelet and kube-proxy call iptables and conntrack, our front nft. */
    public static final List<String> PACKAGES = List.of(
            "conntrack",
            "containerd",
            "containernetworking-plugins",
            "e2fsprogs",
            "iproute2",
            "iptables",
            "kmod",
            "mount",
            "nftables",
            "runc",
            "util-linux");

    private static final long GIBIBYTE = 1L << 30;
    /** Images, their unpacked layers, etcd and logs of one node take 1.5 GiB. */
    private static final long NEEDED_DISK = 3 * GIBIBYTE;
    /** Measured while two API servers run beside each other, rounded up. */
    private static final long NEEDED_MEMORY = 3 * GIBIBYTE / 2;

    private static final List<String> NAMESPACES = List.of("net", "mnt", "pid", "uts", "ipc");

    private final Processes processes;
    private final Disk disk;

    public Requirements(Processes processes, Disk disk) {
        this.processes = processes;
        this.disk = disk;
    }

    /**
     * Looks at what no package can provide.
     *
     * @param place where the disks of nodes will be
     * @param nodes how many there are to be besides those that run
     * @throws ProblemException with everything that is missing
     */
    public void check(Path place, int nodes) {
        List<Problem> problems = new ArrayList<>();
        for (String namespace : NAMESPACES) {
            if (!Files.exists(Path.of("/proc/self/ns", namespace))) {
                problems.add(kernel("has no namespaces of kind " + namespace));
            }
        }
        for (String fileSystem : List.of("overlay", "ext4")) {
            if (!hasFileSystem(fileSystem) && !load(fileSystem)) {
                problems.add(kernel("has no file system " + fileSystem));
            }
        }
        if (!Files.exists(Path.of("/dev/loop-control")) && !load("loop")) {
            problems.add(kernel("has no loop devices"));
        }
        if (!Files.exists(Path.of("/proc/sys/net/bridge")) && !load("br_netfilter")) {
            problems.add(kernel("cannot filter bridged packets (br_netfilter)"));
        }
        FreeSpace.lack(disk, place, nodes * NEEDED_DISK, "its nodes", "make room, then run this again")
                .ifPresent(problems::add);
        memory(nodes * NEEDED_MEMORY).ifPresent(problems::add);
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
    }

    private Optional<Problem> memory(long needed) {
        long available = disk.readText(Path.of("/proc/meminfo")).stream()
                .flatMap(String::lines)
                .filter(line -> line.startsWith("MemAvailable:"))
                .map(line -> line.replaceAll("\\D", ""))
                .mapToLong(kibibytes -> Long.parseLong(kibibytes) * 1024)
                .findFirst()
                .orElse(Long.MAX_VALUE);
        return available >= needed
                ? Optional.empty()
                : Optional.of(new Problem(
                        ErrorCode.MISSING_TOOL,
                        "memory of this machine",
                        mebibytes(available) + " MiB are available",
                        mebibytes(needed) + " MiB",
                        "end something, then run this again"));
    }

    private boolean hasFileSystem(String name) {
        return disk.readText(Path.of("/proc/filesystems")).stream()
                .flatMap(String::lines)
                .anyMatch(line -> line.strip().equals(name) || line.endsWith("\t" + name));
    }

    /** A module that is loaded stays loaded; the kernel would load most of them by itself. */
    private boolean load(String module) {
        return Files.exists(Path.of("/sbin/modprobe"))
                && processes.run(Command.of("/sbin/modprobe", module)).succeeded();
    }

    private static Problem kernel(String what) {
        return new Problem(ErrorCode.MISSING_TOOL, "the kernel", what, "", "use a kernel as Debian's, which has it");
    }

    private static long mebibytes(long bytes) {
        return bytes >> 20;
    }
}
