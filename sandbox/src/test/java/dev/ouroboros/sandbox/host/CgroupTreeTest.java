package dev.ouroboros.sandbox.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.sandbox.host.CgroupTree.Leaf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
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

        tree.create(EnumSet.allOf(Leaf.class));
        tree.create(EnumSet.allOf(Leaf.class));

        assertThat(tree.paths(Leaf.NODE))
                .containsExactly(memory.resolve("ouroboros-a/node"), cpuset.resolve("ouroboros-a/node"))
                .allMatch(Files::isDirectory);
    }

    @Test
    void processesAreFoundAtEveryDepthAndInEveryHierarchy() throws IOException {
        CgroupTree tree = new CgroupTree(new LocalDisk(), List.of(memory, cpuset), "ouroboros-a");
        Files.createDirectories(memory.resolve("ouroboros-a/kubepods/burstable/pod1"));
        tree.create(EnumSet.allOf(Leaf.class));
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
    void processorTimeIsLimitedInTheHierarchyThatCan() throws IOException {
        CgroupTree tree = new CgroupTree(new LocalDisk(), List.of(memory, cpuset), "ouroboros-a");
        tree.create(EnumSet.allOf(Leaf.class));
        Path quota = Files.writeString(memory.resolve("ouroboros-a/cpu.cfs_quota_us"), "-1");

        tree.limitCpu(Optional.of(300));
        assertThat(quota).hasContent("30000");
        assertThat(memory.resolve("ouroboros-a/cpu.cfs_period_us")).hasContent("100000");

        tree.limitCpu(Optional.empty());
        assertThat(quota).hasContent("-1");
    }

    @Test
    void processorTimeIsLimitedByVersionTwo() throws IOException {
        CgroupTree tree = new CgroupTree(new LocalDisk(), List.of(memory), "ouroboros-a");
        tree.create(EnumSet.allOf(Leaf.class));
        Path most = Files.writeString(memory.resolve("ouroboros-a/cpu.max"), "max 100000");

        tree.limitCpu(Optional.of(1500));
        assertThat(most).hasContent("150000 100000");

        tree.limitCpu(Optional.empty());
        assertThat(most).hasContent("max 100000");
    }

    @Test
    void aKernelThatCannotLimitProcessorTimeIsNamedOnlyWhenItIsAskedTo() {
        CgroupTree tree = new CgroupTree(new LocalDisk(), List.of(memory), "ouroboros-a");
        tree.create(EnumSet.allOf(Leaf.class));

        tree.limitCpu(Optional.empty());
        assertThatThrownBy(() -> tree.limitCpu(Optional.of(300)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("no control group of this machine limits processor time");
    }

    @Test
    void removesChildrenFirstAndTellsWhatIsLeft() throws IOException {
        CgroupTree tree = new CgroupTree(new LocalDisk(), List.of(memory), "ouroboros-a");
        tree.create(EnumSet.allOf(Leaf.class));
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

        new CgroupTree(new LocalDisk(), List.of(cpuset), "ouroboros-a").create(EnumSet.allOf(Leaf.class));

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
