package dev.ouroboros.sandbox.host;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.util.List;

/** Finds the cgroup hierarchies of this machine. */
public final class CgroupMounts {
    private static final Path STANDARD_PLACE = Path.of("/sys/fs/cgroup");

    private CgroupMounts() {}

    /**
     * Mount points of all hierarchies that are mounted in the standard place.
     *
     * @throws ProblemException MISSING_TOOL when there is none
     */
    public static List<Path> find(Disk disk) {
        List<Path> found = parse(disk.readText(Path.of("/proc/mounts")).orElse(""));
        if (found.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.MISSING_TOOL,
                    STANDARD_PLACE.toString(),
                    "no control groups are mounted",
                    "cgroup v2, or the v1 controllers each in its directory",
                    "mount -t cgroup2 cgroup2 " + STANDARD_PLACE);
        }
        return found;
    }

    /** Reads {@code /proc/mounts}: device, mount point, type, options. */
    static List<Path> parse(String mounts) {
        return mounts.lines()
                .map(line -> line.split(" "))
                .filter(fields -> fields.length > 2 && (fields[2].equals("cgroup") || fields[2].equals("cgroup2")))
                .map(fields -> Path.of(fields[1]))
                .filter(place -> place.startsWith(STANDARD_PLACE))
                .distinct()
                .sorted()
                .toList();
    }
}
