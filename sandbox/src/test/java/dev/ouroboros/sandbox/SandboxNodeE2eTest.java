package dev.ouroboros.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.sandbox.Leftover.Kind;
import dev.ouroboros.sandbox.node.RunningNode;
import dev.ouroboros.sandbox.node.Subnet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
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
        RunningNode node = sandbox.ensureNode();

        assertThat(in(node, "hostname")).isEqualTo(sandbox.name().node());
        assertThat(in(node, "cat", "/proc/1/comm")).isEqualTo("bash");
        assertThat(in(node, "findmnt", "-n", "-o", "FSTYPE", "/var")).isEqualTo("ext4");
        assertThat(in(node, "findmnt", "-n", "-o", "FSTYPE", "/etc")).isEqualTo("overlay");
        assertThat(in(node, "ls", "/sys/class/net").lines()).containsExactlyInAnyOrder("eth0", "lo");
        assertThat(in(node, "cat", "/proc/sys/net/ipv4/ip_forward")).isEqualTo("1");
    }

    @Test
    void hostAndNodeReachEachOther() {
        RunningNode node = sandbox.ensureNode();
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
        RunningNode node = sandbox.ensureNode();

        in(
                node,
                "bash",
                "-c",
                "touch /etc/only-here /var/only-here /tmp/only-here /run/only-here; echo 2 >/proc/sys/vm/overcommit_memory");

        for (String directory : List.of("/etc", "/var", "/tmp", "/run")) {
            assertThat(Path.of(directory, "only-here")).doesNotExist();
        }
        assertThat(Path.of("/proc/sys/vm/overcommit_memory")).hasContent(overcommit);
        assertThat(Files.readString(Path.of("/proc/self/mounts"))).isEqualTo(mounts);
    }

    @Test
    void makingItAgainChangesNothing() {
        RunningNode first = sandbox.ensureNode();
        SandboxRecord record = sandbox.record().orElseThrow();

        assertThat(sandbox.ensureNode()).isEqualTo(first);
        assertThat(sandbox.record()).contains(record);
    }

    @Test
    void diskOutlivesAPowerCut() {
        RunningNode node = sandbox.ensureNode();
        in(node, "bash", "-c", "echo kept >/var/lib/kept && sync");
        ProcessHandle.of(node.pid()).orElseThrow().destroyForcibly();

        RunningNode again = sandbox.ensureNode();

        assertThat(again.pid()).isNotEqualTo(node.pid());
        assertThat(in(again, "cat", "/var/lib/kept")).isEqualTo("kept");
    }

    @Test
    void twoSandboxesStandSideBySide() {
        Sandbox other = host.sandbox(new SandboxName(sandbox.name() + "-other"));
        sandbox.ensureNode();
        RunningNode second = other.ensureNode();

        assertThat(other.record().orElseThrow().subnet())
                .isNotEqualTo(sandbox.record().orElseThrow().subnet());
        assertThat(sandbox.remove()).isEmpty();
        assertThat(second.alive()).isTrue();
        assertThat(refuses(other.record().orElseThrow().subnet().nodeAddress())).isTrue();
    }

    @Test
    void removalLeavesNothing() throws IOException {
        RunningNode node = sandbox.ensureNode();
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
        RunningNode node = sandbox.ensureNode();
        ProcessHandle.of(node.pid()).orElseThrow().destroyForcibly();
        processes.run(Command.of("mkdir", sandbox.paths().directory() + "/mnt")).orThrow();
        processes
                .run(Command.of(
                        "mount",
                        "-o",
                        "loop",
                        sandbox.paths().diskImage().toString(),
                        sandbox.paths().directory() + "/mnt"))
                .orThrow();

        assertThat(sandbox.remove()).isEmpty();
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
