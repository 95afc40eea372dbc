package dev.ouroboros.sandbox.host;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.testing.ModelDisk;
import dev.ouroboros.sandbox.host.CgroupTree.Leaf;
import dev.ouroboros.sandbox.testing.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of a machine on which a sandbox cannot be. */
final class MachineTroubleTest {
    @TempDir
    private Path hierarchy = Path.of("");

    @Test
    void aMachineWithoutControlGroupsHearsHowToMountThem() {
        ModelDisk disk = new ModelDisk();
        disk.tamper(Path.of("/proc/mounts"), "proc /proc proc rw 0 0\n", Disk.OWNER_ONLY_FILE);

        Refusal.of(
                () -> CgroupMounts.find(disk),
                ErrorCode.MISSING_TOOL,
                "/sys/fs/cgroup",
                "no control groups are mounted",
                "mount -t cgroup2 cgroup2 /sys/fs/cgroup");
    }

    @Test
    void whatIsInThePlaceOfAControlGroupIsNamed() throws IOException {
        Path inTheWay = Files.createFile(hierarchy.resolve("ouroboros-a"));

        Refusal.of(
                () -> new CgroupTree(new LocalDisk(), List.of(hierarchy), "ouroboros-a").create(EnumSet.of(Leaf.NODE)),
                ErrorCode.DISK,
                inTheWay.toString(),
                "cannot be set up: ",
                "see what is in its place (ls -ld)");
    }

    @Test
    void aGroupWhoseProcessesCannotBeReadIsNamed() throws IOException {
        Path group = Files.createDirectories(hierarchy.resolve("ouroboros-a/node"));
        Files.createDirectory(group.resolve("cgroup.procs"));

        Refusal.of(
                () -> new CgroupTree(new LocalDisk(), List.of(hierarchy), "ouroboros-a")
                        .processes(CgroupTree.Leaf.NODE),
                ErrorCode.DISK,
                group.toString(),
                "cannot be read: Is a directory",
                "see what is in its place (ls -ld)");
    }

    @Test
    void aNetworkDeviceOfSomebodyElseIsNotReplaced() {
        Programs ip = _ -> "[{\"ifname\": \"lo\"}, {\"ifname\": \"ouro-a\", \"ifalias\": \"uplink\"}]";

        Refusal.of(
                () -> new Links(ip)
                        .connect("ouro-a", "a", ProcessHandle.current().pid(), "host", "10.77.1.1/24"),
                ErrorCode.FOREIGN_FILE,
                "network device ouro-a",
                "exists and does not belong to sandbox a",
                "remove it (ip link delete ouro-a) or choose another --name");
    }
}
