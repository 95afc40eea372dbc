package dev.ouroboros.node.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The control groups that a kubelet needs. */
final class CgroupCheck implements Check {
    private static final String CHECK = "cgroups";
    private static final Set<String> NEEDED = Set.of("cpu", "cpuset", "memory", "pids");

    private final Disk disk;
    private final Path root;

    CgroupCheck(Disk disk, Path root) {
        this.disk = disk;
        this.root = root;
    }

    @Override
    public List<Finding> run() {
        String mounts = disk.readText(root.resolve("proc/mounts")).orElse("");
        String unified =
                disk.readText(root.resolve("sys/fs/cgroup/cgroup.controllers")).orElse("");
        return List.of(judge(mounts, unified));
    }

    /**
     * @param mounts as {@code /proc/mounts}
     * @param unified the controllers of the unified hierarchy (cgroup v2); empty without one
     */
    static Finding judge(String mounts, String unified) {
        boolean second = !unified.isBlank();
        Set<String> there = second ? words(unified, "\\s+") : firstVersion(mounts);
        Set<String> missing = new TreeSet<>(NEEDED);
        missing.removeAll(there);
        String version = second ? "cgroup v2" : "cgroup v1";
        if (!missing.isEmpty()) {
            return Ailment.CGROUPS_ARE_MISSING.seen(version + " without the controllers " + String.join(", ", missing));
        }
        return second ? Finding.ok(CHECK, version) : Ailment.CGROUPS_ARE_OLD.seen(version);
    }

    private static Set<String> firstVersion(String mounts) {
        return mounts.lines()
                .map(line -> line.split(" "))
                .filter(fields -> fields.length > 3 && fields[2].equals("cgroup"))
                .flatMap(fields -> words(fields[3], ",").stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> words(String text, String separator) {
        return new TreeSet<>(Arrays.asList(text.strip().split(separator)));
    }
}
