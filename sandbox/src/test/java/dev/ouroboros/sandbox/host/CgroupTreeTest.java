package dev.ouroboros.sandbox.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.sandbox.host.CgroupTree.Leaf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On ordinary directories: the files that the kernel adds to a group are written by the test. */
final class CgroupTreeTest {
    @TempDir
    Path hierarchies;

    private Path memory;
    private Path cpuset;

    @BeforeEach
    void set() throws IOException {
        memory = Files.createDirectory(hierarchies.resolve("memory"));
        cpuset = Files.createDirectory(hierarchies.resolve("cpuset"));
    }

    @Test
    void everyHierarchyHasTheGroupAndItsLeaves() {
        CgroupTree tree = new CgroupTree(new LocalDisk(), List.of(memory, cpuset), "ouroboros-a");

        tree.create();
        tree.create();

        assertThat(tree.paths(Leaf.NODE))
                .containsExactly(memory.resolve("ouroboros-a/node"), cpuset.resolve("ouroboros-a/node"))
                .allMatch(Files::isDirectory);
    }

    @Test
    void processesAreFoundAtEveryDepthAndInEveryHierarchy() throws IOException {
        CgroupTree tree = new CgroupTree(new LocalDisk(), List.of(memory, cpuset), "ouroboros-a");
        Files.createDirectories(memory.resolve("ouroboros-a/kubepods/burstable/pod1"));
        tree.create();
        for (Path group : tree.groups()) {
            Files.writeString(group.resolve("cgroup.procs"), "");
        }
        Files.writeString(memory.resolve("ouroboros-a/kubepods/burstable/pod1/cgroup.procs"), "12\n7\n");
        Files.writeString(cpuset.resolve("ouroboros-a/node/cgroup.procs"), "7\n30\n");

        assertThat(tree.processes()).containsExactly(7L, 12L, 30L);
        assertThat(tree.processes(Leaf.NODE)).containsExactly(7L, 30L);
        assertThat(tree.processes(Leaf.UP)).isEmpty();
    }

    @Test
    void removesChildrenFirstAndTellsWhatIsLeft() throws IOException {
        CgroupTree tree = new CgroupTree(new LocalDisk(), List.of(memory), "ouroboros-a");
        tree.create();
        Path busy = Files.createDirectories(memory.resolve("ouroboros-a/kubepods/pod1"));
        Files.writeString(busy.resolve("cgroup.procs"), "1\n");

        assertThat(tree.removeEmpty())
                .containsExactly(busy, memory.resolve("ouroboros-a/kubepods"), memory.resolve("ouroboros-a"));

        Files.delete(busy.resolve("cgroup.procs"));
        assertThat(tree.removeEmpty()).isEmpty();
    }

    @Test
    void aNewVersion1GroupGetsTheProcessorsOfItsParent() throws IOException {
        Files.writeString(cpuset.resolve("cpuset.cpus"), "0-1\n");
        Files.writeString(cpuset.resolve("cpuset.mems"), "0\n");
        for (String group : List.of("ouroboros-a", "ouroboros-a/node", "ouroboros-a/up")) {
            Path made = Files.createDirectories(cpuset.resolve(group));
            Files.writeString(made.resolve("cpuset.cpus"), "\n");
            Files.writeString(made.resolve("cpuset.mems"), "\n");
        }

        new CgroupTree(new LocalDisk(), List.of(cpuset), "ouroboros-a").create();

        assertThat(Files.readString(cpuset.resolve("ouroboros-a/node/cpuset.cpus")))
                .isEqualTo("0-1\n");
        assertThat(Files.readString(cpuset.resolve("ouroboros-a/up/cpuset.mems")))
                .isEqualTo("0\n");
    }

    @Test
    void hierarchiesAreThoseMountedInTheStandardPlace() {
        String mounts = """
                proc /proc proc rw 0 0
                tmpfs /sys/fs/cgroup tmpfs rw 0 0
                cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0
                cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0
                cgroup /elsewhere/memory cgroup rw,memory 0 0
                cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0
                """;

        assertThat(CgroupMounts.parse(mounts))
                .containsExactly(Path.of("/sys/fs/cgroup/cpu,cpuacct"), Path.of("/sys/fs/cgroup/unified"));
    }
}
