package dev.ouroboros.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.sandbox.Leftover.Kind;
import dev.ouroboros.sandbox.host.CgroupMounts;
import dev.ouroboros.sandbox.host.CgroupTree;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.RunningNode;
import dev.ouroboros.sandbox.node.Subnet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Makes real nodes on this machine: needs root. */
@Tag("e2e")
class SandboxNodeE2eTest {
    @TempDir
    Path root;

    private final Processes processes = new LocalProcesses();
    private SandboxHost host;
    private Sandbox sandbox;

    @BeforeEach
    void set() {
        assumeTrue(System.getProperty("user.name").equals("root"), "needs root");
        host = new SandboxHost(root, processes, new LocalDisk(), InstantSource.system());
        sandbox = host.sandbox(new SandboxName("test-" + ProcessHandle.current().pid()));
    }

    @AfterEach
    void removeAll() {
        host.sandboxes().forEach(one -> assertThat(one.remove()).isEmpty());
    }

    @Test
    void nodeHasItsOwnNameProcessesFilesAndNetwork() {
        RunningNode node = boot(sandbox);

        assertThat(in(node, "hostname")).isEqualTo(sandbox.name().node());
        assertThat(in(node, "getent", "hosts", sandbox.name().node())).startsWith("127.0.1.1");
        assertThat(in(node, "cat", "/proc/1/comm")).isEqualTo("bash");
        assertThat(in(node, "findmnt", "-n", "-o", "FSTYPE", "/var")).isEqualTo("ext4");
        assertThat(in(node, "findmnt", "-n", "-o", "FSTYPE", "/")).isEqualTo("overlay");
        assertThat(in(node, "ls", "/sys/class/net").lines()).containsExactlyInAnyOrder("eth0", "lo");
        assertThat(in(node, "cat", "/proc/sys/net/ipv4/ip_forward")).isEqualTo("1");
    }

    @Test
    void hostAndNodeReachEachOther() {
        RunningNode node = boot(sandbox);
        Subnet subnet = sandbox.record().orElseThrow().subnet();

        // The kernel answers a connection to a closed port, so an answer of any kind is the proof.
        assertThat(refuses(subnet.nodeAddress())).isTrue();
        assertThat(processes
                        .run(node.enter(Command.of("bash", "-c", "echo >/dev/tcp/" + subnet.hostAddress() + "/1")))
                        .error())
                .contains("Connection refused");
    }

    @Test
    void whatTheNodeChangesStaysInTheNode() throws IOException {
        String overcommit = Files.readString(Path.of("/proc/sys/vm/overcommit_memory"));
        String mounts = Files.readString(Path.of("/proc/self/mounts"));
        Path shell = Path.of("/usr/bin/env");
        RunningNode node = boot(sandbox);
        List<String> places = List.of(
                "/", "/root", "/usr", "/usr/bin", "/opt", "/home", "/etc", "/var", "/tmp", "/run", "/dev", "/dev/shm");

        for (String directory : places) {
            in(node, "touch", directory + "/only-here");
        }
        in(node, "bash", "-c", "echo 2 >/proc/sys/vm/overcommit_memory; rm " + shell + "; mount -t tmpfs tmpfs /mnt");

        for (String directory : places) {
            assertThat(Path.of(directory, "only-here")).doesNotExist();
        }
        assertThat(Path.of("/proc/sys/vm/overcommit_memory")).hasContent(overcommit);
        assertThat(shell).isExecutable();
        assertThat(Files.readString(Path.of("/proc/self/mounts"))).isEqualTo(mounts);
    }

    @Test
    void whatBelongsToTheWholeMachineCanBeReadAndNotWritten(@TempDir Path elsewhere) throws IOException {
        RunningNode node = boot(sandbox);
        Path file = Files.writeString(elsewhere.resolve("of-the-host"), "as it is");

        assertThat(in(node, "cat", NodeLayout.ofHostFile(file).toString())).isEqualTo("as it is");
        for (String place : List.of(
                NodeLayout.ofHostFile(file).toString(),
                "/proc/sys/kernel/hostname",
                "/proc/sys/vm/swappiness",
                "/sys/class/net/lo/mtu")) {
            String refusal = processes
                    .run(node.enter(Command.of("bash", "-c", ": >>" + place)))
                    .error();
            assertThat(refusal).as(place).contains("Read-only file system");
        }
        assertThat(in(node, "bash", "-c", "find /dev -type b")).isEmpty();
    }

    /** A layer may remember what was below it. */
    @Test
    void whoEntersTheNodeFindsTheHostsFilesAsTheyAre() throws IOException {
        RunningNode node = boot(sandbox);
        Path file = Path.of("/srv", sandbox.name().value());
        try {
            assertThat(in(node, "bash", "-c", "cat " + file + " 2>&1 || true")).contains("No such file");
            Files.writeString(file, "first");
            assertThat(in(node, "cat", file.toString())).isEqualTo("first");
            Path second = Files.writeString(Path.of(file + ".new"), "second");
            Files.move(second, file, StandardCopyOption.REPLACE_EXISTING);
            assertThat(in(node, "cat", file.toString())).isEqualTo("second");
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** What fills it is all that has to go: also after a power cut. */
    @Test
    void aFullDiskIsTheNodesAlone() {
        RunningNode node = boot(sandbox);
        long free = new LocalDisk().usableBytes(root);

        assertThat(processes
                        .run(node.enter(Command.of("fallocate", "-l", "80G", "/fill")))
                        .error())
                .contains("No space left on device");
        in(node, "bash", "-c", "! head -c 1M /dev/zero >/var/more; sync");
        assertThat(new LocalDisk().usableBytes(root)).isGreaterThan(free - (2L << 30));
        assertThat(reboot().run().getFirst().powerCutAt()).isPresent();

        RunningNode again = sandbox.node().orElseThrow();
        in(again, "rm", "-f", "/fill", "/var/more");
        in(again, "bash", "-c", "head -c 1M /dev/zero | tee /etc/room >/var/room");
    }

    @Test
    void makingItAgainChangesNothing() {
        RunningNode first = boot(sandbox);
        SandboxRecord record = sandbox.record().orElseThrow();

        assertThat(boot(sandbox)).isEqualTo(first);
        assertThat(sandbox.record()).contains(record);
    }

    @Test
    void aPowerCutTakesWhatWasNotSyncedAndEverythingInMemory() throws IOException {
        RunningNode node = boot(sandbox);
        String bootId = in(node, "cat", "/proc/sys/kernel/random/boot_id");
        in(node, "bash", "-c", "echo kept | tee /var/lib/kept /root/kept /kept /tmp/lost >/etc/kept; sync");
        in(node, "bash", "-c", "echo lost | tee /var/lib/lost /root/lost /lost /etc/lost /run/lost >/dev/shm/lost");
        in(node, "nft", "add", "table", "inet", "lost");
        in(node, "bash", "-c", "unshare -n sleep 1000 >/dev/null 2>&1 </dev/null & disown");
        for (Path hierarchy : node.cgroups()) {
            Files.createDirectory(hierarchy.resolveSibling("kubepods"));
        }

        Reboot.Outcome outcome = reboot().run().getFirst();

        assertThat(outcome.powerCutAt()).isPresent();
        assertThat(outcome.kubeletStartedAt()).isEmpty();
        RunningNode again = sandbox.node().orElseThrow();
        assertThat(again.pid()).isNotEqualTo(node.pid());
        for (String directory : List.of("/var/lib", "/etc", "/root", "/")) {
            assertThat(in(again, "cat", directory + "/kept")).isEqualTo("kept");
        }
        for (String directory : List.of("/var/lib", "/etc", "/root", "/", "/run", "/tmp", "/dev/shm")) {
            assertThat(in(again, "bash", "-c", "cat " + directory + "/lost 2>/dev/null || true"))
                    .as(directory)
                    .isEmpty();
        }
        assertThat(in(again, "nft", "list", "ruleset")).isEmpty();
        assertThat(in(again, "conntrack", "-L")).isEmpty();
        assertThat(in(again, "ps", "-e", "-o", "comm=")).doesNotContain("sleep");
        assertThat(in(again, "cat", "/proc/sys/kernel/random/boot_id")).isNotEqualTo(bootId);
        assertThat(again.cgroups())
                .allSatisfy(hierarchy ->
                        assertThat(hierarchy.resolveSibling("kubepods")).doesNotExist());
        assertThat(refuses(sandbox.record().orElseThrow().subnet().nodeAddress()))
                .isTrue();
    }

    @Test
    void everythingThatANodeKeepsIsOnItsDisk() {
        RunningNode node = boot(sandbox);
        String disk = in(node, "findmnt", "-n", "-o", "SOURCE", NodeLayout.DISK.toString());
        assertThat(disk).startsWith("/dev/loop");

        for (Path place : List.of(
                NodeLayout.ASSETS,
                NodeLayout.BINARIES,
                NodeLayout.POD_LOGS,
                Path.of("/var/lib/ouroboros/start"),
                Path.of("/var/lib/etcd"),
                Path.of("/var/lib/kubelet"),
                Path.of("/var/lib/containerd"))) {
            in(node, "mkdir", "-p", place.toString());
            assertThat(in(node, "findmnt", "-n", "-o", "SOURCE", "--target", place.toString()))
                    .as(place.toString())
                    .startsWith(disk + "[/var");
        }
        for (Path place : List.of(
                NodeLayout.MANIFESTS, NodeLayout.SERVICES, NodeLayout.CONTAINERD_CONFIG, NodeLayout.CNI_TEMPLATE)) {
            assertThat(in(
                            node,
                            "findmnt",
                            "-n",
                            "-o",
                            "OPTIONS",
                            "--target",
                            place.resolveSibling(".").toString()))
                    .as(place.toString())
                    .contains("upperdir=" + sandbox.first().paths().staging() + "/layers/%2F/upper");
        }
    }

    /** libcni does not sync its records: one that a power cut tore keeps a pod's sandbox from ever being taken down. */
    @Test
    void whatCniRemembersIsNotOnItsDisk() {
        RunningNode node = boot(sandbox);

        assertThat(in(node, "findmnt", "-n", "-o", "FSTYPE", "--target", "/var/lib/cni"))
                .isEqualTo("tmpfs");
    }

    @Test
    void servicesOnTheDiskStartByThemselvesWhenTheNodeBoots() {
        RunningNode node = boot(sandbox);
        String report = "{ ls -l /proc/self/fd; ip route show default; } >/run/service-report; exec sleep 1000";
        in(node, "bash", "-c", "echo '" + report + "' >/etc/ouroboros/services/probe && sync");

        assertThat(reboot().cutPower().getFirst().powerCutAt()).isPresent();
        assertThat(sandbox.status().getFirst().state()).isEqualTo(NodeStatus.State.STOPPED);
        assertThat(sandbox.inventory()).extracting(Leftover::kind).containsExactly(Kind.FILES);
        assertThat(reboot().run().getFirst().powerCutAt()).isEmpty();

        RunningNode again = sandbox.node().orElseThrow();
        String said = in(
                again,
                "bash",
                "-c",
                "until grep -q via /run/service-report; do sleep 0.1; done; cat /run/service-report");
        assertThat(said)
                .as("its network is there before it, and it has no file of process 1 open")
                .contains("default via")
                .doesNotContain("control");
    }

    @Test
    void twoSandboxesStandSideBySide() {
        Sandbox other = host.sandbox(new SandboxName(sandbox.name() + "-other"));
        boot(sandbox);
        RunningNode second = boot(other);

        assertThat(other.record().orElseThrow().subnet())
                .isNotEqualTo(sandbox.record().orElseThrow().subnet());
        assertThat(sandbox.remove()).isEmpty();
        assertThat(second.alive()).isTrue();
        assertThat(refuses(other.record().orElseThrow().subnet().nodeAddress())).isTrue();
    }

    @Test
    void removalLeavesNothing() throws IOException {
        RunningNode node = boot(sandbox);
        in(
                node,
                "bash",
                "-c",
                "sleep 1000 >/dev/null 2>&1 </dev/null & disown; unshare -n sleep 1000 >/dev/null 2>&1 </dev/null & disown");
        assertThat(sandbox.inventory())
                .extracting(Leftover::kind)
                .contains(Kind.PROCESS, Kind.LOOP_DEVICE, Kind.NETWORK_DEVICE, Kind.CGROUP, Kind.FILES);
        List<String> namespaces = namespacesOf(node.pid());

        assertThat(sandbox.remove()).isEmpty();

        assertThat(sandbox.inventory()).isEmpty();
        assertThat(sandbox.paths().directory()).doesNotExist();
        assertThat(allNamespaces()).doesNotContainAnyElementsOf(namespaces);
        assertThat(sandbox.remove()).isEmpty();
    }

    @Test
    void removesWhatACrashOfTheMachineLeft() {
        RunningNode node = boot(sandbox);
        ProcessHandle.of(node.pid()).orElseThrow().destroyForcibly();
        processes.run(Command.of("mkdir", sandbox.paths().directory() + "/mnt")).orThrow();
        processes
                .run(Command.of(
                        "mount",
                        "-o",
                        "loop",
                        sandbox.first().paths().diskImage().toString(),
                        sandbox.paths().directory() + "/mnt"))
                .orThrow();

        assertThat(sandbox.remove()).isEmpty();
    }

    @Test
    void waitsForWhoeverIsInAMountAndNamesWhoStays() throws IOException {
        boot(sandbox);
        Path place = Files.createDirectory(sandbox.paths().directory().resolve("mnt"));
        processes
                .run(Command.of("mount", "-t", "tmpfs", "tmpfs", place.toString()))
                .orThrow();
        Process inside =
                new ProcessBuilder("sleep", "1000").directory(place.toFile()).start();
        try {
            assertThat(sandbox.remove())
                    .extracting(Leftover::toString)
                    .contains("mount " + place + ", in use by sleep (" + inside.pid() + ")");
        } finally {
            inside.destroyForcibly();
        }
        // It may still be ending: that is what is waited for.
        assertThat(sandbox.remove()).isEmpty();
    }

    @Test
    void theNodeKeepsNothingOpenThatItsMakerHasOpen(@TempDir Path elsewhere) throws IOException {
        boot(sandbox);
        reboot().cutPower();
        Path lock = Files.createFile(elsewhere.resolve("a-lock"));
        CgroupTree cgroups = new CgroupTree(
                new LocalDisk(),
                CgroupMounts.find(new LocalDisk()),
                sandbox.name().cgroup());
        cgroups.create(EnumSet.of(CgroupTree.Leaf.SWITCH));
        String launch = "exec 7>" + lock + "; exec /bin/bash " + sandbox.paths().launchScript() + " "
                + sandbox.paths().switchLog() + " "
                + cgroups.paths(CgroupTree.Leaf.SWITCH).stream()
                        .map(Path::toString)
                        .collect(Collectors.joining(" "))
                + " -- sleep 1000";

        processes.run(Command.of("bash", "-c", launch)).orThrow();

        assertThat(cgroups.processes()).isNotEmpty();
        for (long pid : cgroups.processes()) {
            assertThat(processes
                            .run(Command.of("ls", "-l", "/proc/" + pid + "/fd"))
                            .output())
                    .doesNotContain(lock.toString());
        }
    }

    @Test
    void logsOfServicesAreBounded() throws IOException {
        RunningNode node = boot(sandbox);
        Path log = sandbox.first().paths().logs().resolve("kubelet.log");
        Files.write(log, new byte[20 << 20]);

        // It looks at every order, and every half minute.
        node.boot();

        in(node, "bash", "-c", "until [ ! -s /run/ouroboros/logs/kubelet.log ]; do sleep 0.05; done");
        assertThat(log.resolveSibling("kubelet.log.1")).hasSize(20 << 20);
    }

    /** Between two starts of what ends at once there is nothing to be ended but the pause. */
    @Test
    void aServiceThatEndsAtOnceIsStartedAgainHoweverOftenItIsRestarted() {
        RunningNode node = boot(sandbox);
        in(node, "bash", "-c", "echo 'echo >>/run/starts; exit 1' >/etc/ouroboros/services/ends");
        node.startService("ends");
        in(node, "bash", "-c", "until [ -s /run/starts ]; do sleep 0.05; done");
        for (int order = 0; order < 40; order++) {
            node.restartService("ends");
        }

        in(
                node,
                "bash",
                "-c",
                "now=$(wc -l </run/starts); until [ $(wc -l </run/starts) -gt $((now + 3)) ]; do sleep 0.05; done");
        assertThat(sandbox.node()).as("process 1 lives").isPresent();
    }

    @Test
    void nodesOfOneSandboxReachEachOtherAndLoseTheirPowerOneByOne() {
        RunningNode first = boot(sandbox);
        SandboxNode other = sandbox.add("blue");
        RunningNode second = sandbox.boot(other);
        String firstAddress = sandbox.first().requireAddress();

        assertThat(in(second, "hostname")).isEqualTo("blue");
        assertThat(other.requireAddress()).isNotEqualTo(firstAddress);
        assertThat(refuses(other.requireAddress())).as("the host reaches it").isTrue();
        assertThat(refusesFrom(second, firstAddress)).isTrue();
        assertThat(refusesFrom(first, other.requireAddress())).isTrue();

        assertThat(sandbox.cutPower(List.of(other))).containsOnlyKeys(other.name());
        assertThat(first.alive()).isTrue();
        assertThat(refuses(firstAddress)).as("the other's network goes on").isTrue();
        assertThat(sandbox.status()).extracting(NodeStatus::state).contains(NodeStatus.State.STOPPED);

        sandbox.boot(other);
        sandbox.cutPower(List.of(sandbox.first()));
        RunningNode again = boot(sandbox);
        assertThat(refusesFrom(again, other.requireAddress())).isTrue();

        sandbox.removeNode(other);
        assertThat(sandbox.find("blue")).isEmpty();
        assertThat(other.paths().directory()).doesNotExist();
        sandbox.cutPower(List.of(sandbox.first()));
        assertThat(sandbox.inventory())
                .as("with the last node the network goes")
                .extracting(Leftover::kind)
                .containsExactly(Kind.FILES);
    }

    @Test
    void aSwitchThatWasEndedIsMadeAgain() {
        RunningNode node = boot(sandbox);
        CgroupTree cgroups = new CgroupTree(
                new LocalDisk(),
                CgroupMounts.find(new LocalDisk()),
                sandbox.name().cgroup());
        long holder = cgroups.processes(CgroupTree.Leaf.SWITCH).getFirst();
        ProcessHandle.of(holder).orElseThrow().destroyForcibly();

        assertThat(boot(sandbox)).isEqualTo(node);

        assertThat(refuses(sandbox.first().requireAddress())).isTrue();
    }

    /** Its control group was at the place where the sandbox's own is. */
    @Test
    void theNodeOfAnEarlierVersionLosesItsPowerBeforeItsDiskIsMountedAgain() throws IOException {
        CgroupTree cgroups = new CgroupTree(
                new LocalDisk(),
                CgroupMounts.find(new LocalDisk()),
                sandbox.name().cgroup());
        cgroups.create(EnumSet.of(CgroupTree.Leaf.NODE));
        Process earlier = new ProcessBuilder("sleep", "1000").start();
        for (Path group : cgroups.paths(CgroupTree.Leaf.NODE)) {
            Files.writeString(group.resolve("cgroup.procs"), Long.toString(earlier.pid()));
        }

        boot(sandbox);

        assertThat(earlier.isAlive()).isFalse();
    }

    private static RunningNode boot(Sandbox sandbox) {
        return sandbox.bootFirst(Optional.empty());
    }

    private boolean refusesFrom(RunningNode node, String address) {
        return processes
                .run(node.enter(Command.of("bash", "-c", "echo >/dev/tcp/" + address + "/1")
                        .withTimeout(Duration.ofSeconds(5))))
                .error()
                .contains("Connection refused");
    }

    private Reboot reboot() {
        return new Reboot(sandbox, List.of(sandbox.first()), new LocalDisk(), InstantSource.system());
    }

    private String in(RunningNode node, String... command) {
        return processes.run(node.enter(Command.of(command))).orThrow().strip();
    }

    private boolean refuses(String address) {
        return processes
                .run(Command.of("bash", "-c", "echo >/dev/tcp/" + address + "/1")
                        .withTimeout(Duration.ofSeconds(5)))
                .error()
                .contains("Connection refused");
    }

    private static List<String> namespacesOf(long pid) throws IOException {
        Path directory = Path.of("/proc", Long.toString(pid), "ns");
        return List.of(
                Files.readSymbolicLink(directory.resolve("net")).toString(),
                Files.readSymbolicLink(directory.resolve("mnt")).toString(),
                Files.readSymbolicLink(directory.resolve("pid")).toString());
    }

    private static List<String> allNamespaces() {
        return ProcessHandle.allProcesses()
                .flatMap(process -> {
                    try {
                        return namespacesOf(process.pid()).stream();
                    } catch (IOException e) {
                        // It ended while we looked.
                        return Stream.of();
                    }
                })
                .toList();
    }
}
