package dev.ouroboros.sandbox.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.model.registry.RegistryAccess;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.node.testing.ModelDisk;
import dev.ouroboros.render.manifest.ContainerdSettings;
import dev.ouroboros.sandbox.NodePaths;
import dev.ouroboros.sandbox.NodeRecord;
import dev.ouroboros.sandbox.SandboxName;
import dev.ouroboros.sandbox.SandboxPaths;
import dev.ouroboros.sandbox.host.CgroupTree;
import dev.ouroboros.sandbox.host.CgroupTree.Leaf;
import dev.ouroboros.sandbox.host.Links;
import dev.ouroboros.sandbox.host.LoopDevices;
import dev.ouroboros.sandbox.host.MountTable;
import dev.ouroboros.sandbox.host.ProcessKiller;
import dev.ouroboros.sandbox.host.ProcessTable;
import dev.ouroboros.sandbox.testing.Leaping;
import dev.ouroboros.sandbox.testing.Programs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that does not start, does not end, or is not there. Its control groups are ordinary directories. */
final class NodeTroubleTest {
    /** One more than Linux gives out: no process of this machine is meant. */
    private static final long NOBODY = 4_194_305;

    private static final Programs NOTHING = _ -> "";

    @TempDir
    private Path directory = Path.of("");

    private NodePaths paths;
    private CgroupTree cgroups;

    @BeforeEach
    void aSandbox() throws IOException {
        paths = new NodePaths(new SandboxPaths(directory, new SandboxName("one")), "one");
        Files.createDirectories(paths.logs());
        Files.createDirectory(directory.resolve("cgroup"));
        cgroups = new CgroupTree(new LocalDisk(), List.of(directory.resolve("cgroup")), "ouroboros-one");
    }

    private NodeLauncher launcher(Programs programs) {
        return new NodeLauncher(
                paths, cgroups, new ProcessTable(), programs, new LocalDisk(), new Waiting(new Leaping()));
    }

    /** As the kernel adds it to every group. */
    private void inEveryGroup(String processes) {
        for (Path group : cgroups.groups()) {
            try {
                Files.writeString(group.resolve("cgroup.procs"), processes);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void aNodeThatDoesNotStartIsQuoted() {
        Programs failing = _ -> {
            inEveryGroup("");
            new LocalDisk()
                    .write(
                            paths.logs().resolve("node.log"),
                            "mount: no loop device\n".getBytes(StandardCharsets.UTF_8),
                            "rw-------");
            return "";
        };

        Refusal.of(
                () -> launcher(failing).start(),
                ErrorCode.PROCESS_FAILED,
                "node one",
                "did not start: mount: no loop device",
                "see " + paths.logs().resolve("node.log"));
    }

    @Test
    void aNodeDoesNotTakeItselfDown() {
        cgroups.create(EnumSet.of(Leaf.NODE, Leaf.UP));
        inEveryGroup(ProcessHandle.current().pid() + "\n");

        Refusal.of(
                () -> launcher(NOTHING).kill(),
                ErrorCode.BAD_USAGE,
                "sandbox",
                "a node cannot take itself down",
                "run this command outside of the node");
    }

    @Test
    void allThatStaysOfANodeWithoutPowerIsNamed() {
        cgroups.create(EnumSet.of(Leaf.NODE, Leaf.UP));
        inEveryGroup(NOBODY + "\n");
        Programs losetup = command -> command.arguments().getFirst().equals("losetup") ? "/dev/loop-of-one\n" : "";
        PowerSwitch power = new PowerSwitch(
                paths,
                new NodeRecord("one", 2),
                launcher(losetup),
                cgroups,
                networkSwitch(new CgroupTree(new LocalDisk(), List.of(), "ouroboros-one"), losetup),
                new LoopDevices(losetup),
                new MountTable(new ProcessTable()),
                new Waiting(new Leaping()),
                new Leaping());

        assertThatThrownBy(power::clear).isInstanceOfSatisfying(ProblemException.class, failure -> {
            assertThat(failure.problems())
                    .allSatisfy(problem -> {
                        assertThat(problem.code()).isEqualTo(ErrorCode.PROCESS_FAILED);
                        assertThat(problem.where()).isEqualTo("node one");
                        assertThat(problem.next()).isEqualTo("end what holds it, then run the same command again");
                    })
                    .extracting(Problem::what)
                    .contains(
                            "has no power, and still there is process ? (" + NOBODY + ")",
                            "has no power, and still there is /dev/loop-of-one, mounted at []",
                            "has no power, and still there is control group "
                                    + cgroups.paths(CgroupTree.Leaf.UP).getFirst());
        });
    }

    private NetworkSwitch networkSwitch(CgroupTree ofSandbox, Programs programs) {
        return new NetworkSwitch(
                paths.sandbox(),
                ofSandbox,
                new Links(programs),
                new ProcessKiller(new ProcessTable(), new Waiting(new Leaping())),
                programs,
                new LocalDisk(),
                new Waiting(new Leaping()));
    }

    @Test
    void aSwitchThatDoesNotStartIsNamedWithItsLog() {
        Programs failing = _ -> {
            inEveryGroup("");
            return "";
        };

        Refusal.of(
                () -> networkSwitch(cgroups, failing).ensure(new Subnet(1)),
                ErrorCode.PROCESS_FAILED,
                "network of sandbox one",
                "has no switch",
                "see " + paths.sandbox().switchLog() + ", then run 'ouro up --name one'");
    }

    @Test
    void aSwitchThatDoesNotEndIsNamed() {
        cgroups.create(EnumSet.of(Leaf.SWITCH));
        inEveryGroup(NOBODY + "\n");

        Refusal.of(
                () -> networkSwitch(cgroups, NOTHING).remove(),
                ErrorCode.PROCESS_FAILED,
                "network of sandbox one",
                "cannot be removed: there is still ? (" + NOBODY + ")",
                "end what holds it, then run the same command again");
    }

    @Test
    void aNodeThatHasEndedTakesNoOrders() {
        Refusal.of(
                new RunningNode(NOBODY, paths.sandbox(), List.of())::boot,
                ErrorCode.PROCESS_FAILED,
                "node process " + NOBODY,
                "takes no orders: ",
                "run 'ouro up --name one' again");
    }

    @Test
    void anAssetThatIsNotInTheNodeIsNamed() {
        NodeFiles files = new NodeFiles(new ModelDisk(), new RunningNode(NOBODY, paths.sandbox(), List.of()));

        Refusal.of(
                () -> files.exportKubeconfig(paths.sandbox().kubeconfig()),
                ErrorCode.NOT_FOUND,
                "/proc/" + NOBODY + "/root/var/lib/ouroboros/assets/auth/kubeconfig",
                "is missing",
                "run 'ouro up --name one' again");
    }

    @Test
    void aProgramThatWentAwayMeanwhileIsNamed() throws Exception {
        Path gone = directory.resolve("kubelet");

        try (OwnMounts machine = new OwnMounts(directory)) {
            Files.createDirectories(machine.file("/var/lib/ouroboros/bin"));
            Files.writeString(machine.file("/var/lib/ouroboros/bin/kubelet"), "of before");
            NodeFiles files =
                    new NodeFiles(new LocalDisk(), new RunningNode(machine.pid(), paths.sandbox(), List.of()));

            Refusal.of(
                    () -> files.installPrograms(List.of(gone)),
                    ErrorCode.DISK,
                    gone.toString(),
                    "cannot be looked at: no such file",
                    "put it back");
        }
    }

    @Test
    void aContainerdThatDoesNotAnswerIsNamedWithItsLog() throws IOException {
        Programs failing = command -> {
            throw new Programs.Failure(command.arguments().getFirst() + ": connection refused");
        };

        try (OwnMounts machine = new OwnMounts(directory)) {
            Path control =
                    Files.createDirectories(machine.file("/run/ouroboros")).resolve("control");
            Files.createFile(control);
            RunningNode node = new RunningNode(machine.pid(), paths.sandbox(), List.of());

            Refusal.of(
                    () -> new Services(failing, new ModelDisk(), new Leaping())
                            .startContainerd(
                                    node, new ContainerdSettings("pause", false, true, true), RegistryAccess.direct()),
                    ErrorCode.COMPONENT_FAILED,
                    "containerd",
                    "does not answer after 60 s",
                    "see containerd.log among the node's logs");
            assertThat(control).hasContent("start containerd");
        }
    }
}
