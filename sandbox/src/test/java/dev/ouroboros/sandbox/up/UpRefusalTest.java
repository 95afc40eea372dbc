package dev.ouroboros.sandbox.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.images.ImagesModule;
import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.images.oci.ImageBuilder;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.model.registry.ProxyEnvironment;
import dev.ouroboros.model.registry.RegistryAccess;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.packages.DebianPackages;
import dev.ouroboros.node.testing.ModelDisk;
import dev.ouroboros.render.Renderer;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxHost;
import dev.ouroboros.sandbox.SandboxName;
import dev.ouroboros.sandbox.SandboxNode;
import dev.ouroboros.sandbox.node.RunningNode;
import dev.ouroboros.sandbox.testing.Programs;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ouro up} does not do to a sandbox that has a cluster. The machine's files are in memory, its programs one function. */
final class UpRefusalTest {
    @TempDir
    private Path directory = Path.of("");

    private static final Programs NOTHING = _ -> "";

    private final ModelDisk disk = new ModelDisk();

    @BeforeEach
    void aSandboxThatHasACluster() throws IOException {
        // A lock is held by the kernel, on a file that is there.
        Files.createDirectories(directory.resolve("one"));
        has(directory.resolve("one/sandbox.json"), """
                {"subnet": 1, "created": "2026-11-21T00:00:00Z", "kubernetesVersion": "1.20.2", "complete": true}
                """);
        has(Path.of("/proc/mounts"), "cgroup2 /sys/fs/cgroup/of-no-machine cgroup2 rw 0 0\n");
        has(Path.of("/proc/filesystems"), "nodev\toverlay\n\text4\n");
    }

    private void has(Path file, String content) {
        disk.tamper(file, content, Disk.OWNER_ONLY_FILE);
    }

    private Sandbox sandbox(Programs programs) {
        return new SandboxHost(directory, programs, disk, InstantSource.system()).sandbox(new SandboxName("one"));
    }

    private Up up() {
        return up(this::sandbox);
    }

    private Up up(Function<Programs, Sandbox> sandbox) {
        Programs programs = command -> String.join(" installed\n", command.arguments()) + " installed\n";
        return new Up(
                sandbox.apply(programs),
                new DebianPackages(programs, disk, directory),
                ImagesModule.create(
                        programs,
                        disk,
                        InstantSource.system(),
                        CacheDirectory.of(Map.of(), directory),
                        Architecture.of("amd64"),
                        ImageBuilder.Daemons.find(List.of()),
                        ProxyEnvironment.none()),
                new Renderer(disk, InstantSource.system(), new SecureRandom()),
                programs,
                disk,
                InstantSource.system(),
                _ -> {});
    }

    private static UpOptions options(Optional<String> version, Optional<SnapshotFile> snapshot) {
        return new UpOptions(
                Optional.empty(),
                version,
                false,
                Duration.ofMinutes(5),
                true,
                snapshot,
                RegistryAccess.direct(),
                Optional.empty(),
                1,
                Optional.empty(),
                "2-4",
                List.of("ouro"));
    }

    @Test
    void anotherVersionIsNoUp() {
        Refusal.of(
                () -> up().run(options(Optional.of("v1.36.2"), Optional.empty())),
                ErrorCode.UNSUPPORTED_VERSION,
                "--kubernetes-version",
                "sandbox one has Kubernetes 1.20.2, not 1.36.2",
                "take it down first (ouro down --name one), or choose another --name");
    }

    @Test
    void aNodeJoinsAClusterThatRuns() {
        Refusal.of(
                () -> up().add(Optional.of("blue"), Optional.empty()),
                ErrorCode.NOT_FOUND,
                "sandbox one",
                "is not up: a node joins a cluster that runs",
                "ouro up --name one");
    }

    @Test
    void aNodeHasANameAsAHostHas() {
        Refusal.of(
                () -> sandbox(NOTHING).add("Blue_1"),
                ErrorCode.INVALID_FLAG,
                "NODE",
                "'Blue_1' is no name for a node",
                "choose another, as in blue");
    }

    @Test
    void theFirstNodeGoesWithItsSandbox() {
        Sandbox sandbox = sandbox(NOTHING);

        Refusal.of(
                () -> sandbox.requireRemovable(sandbox.first()),
                ErrorCode.BAD_USAGE,
                "node one",
                "is the first of sandbox one, which has the asset directory",
                "take the whole sandbox down: ouro down --name one");
    }

    @Test
    void aNodeThatWasRemovedMeanwhileIsNotBooted() {
        Sandbox sandbox = sandbox(NOTHING);
        SandboxNode blue = sandbox.add("blue");
        assertThat(sandbox.nodes()).extracting(SandboxNode::name).containsExactly("one", "blue");
        has(directory.resolve("one/sandbox.json"), """
                {"subnet": 1, "created": "2026-11-21T00:00:00Z", "kubernetesVersion": "1.20.2", "complete": true}
                """);

        Refusal.of(
                () -> sandbox.boot(blue),
                ErrorCode.NOT_FOUND,
                "node blue",
                "was removed meanwhile",
                "'ouro nodes' lists those that there are");
    }

    @Test
    void aSnapshotDoesNotReplaceACluster() {
        SnapshotFile snapshot =
                new SnapshotFile(directory.resolve("backup.db"), EncryptionConfiguration.none(), Map.of());

        Refusal.of(
                () -> up().run(options(Optional.empty(), Optional.of(snapshot))),
                ErrorCode.BAD_USAGE,
                "--snapshot",
                "sandbox one has a cluster already",
                "take it down first (ouro down --name one)");
    }

    /** Without this its directory, and a node in it, would be there to be taken down. */
    @Test
    void aBrokenSnapshotIsFoundBeforeAnythingIsMade() throws IOException {
        Path sandboxes = directory.resolve("sandboxes");
        Path broken = Files.writeString(directory.resolve("broken.db"), "no etcd wrote this".repeat(9999));
        Up up = up(programs -> new SandboxHost(sandboxes, programs, new LocalDisk(), InstantSource.system())
                .sandbox(new SandboxName("two")));

        assertThatThrownBy(() -> up.run(options(
                        Optional.empty(),
                        Optional.of(new SnapshotFile(broken, EncryptionConfiguration.none(), Map.of())))))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(broken.toString());

        assertThat(sandboxes).doesNotExist();
    }

    @Test
    void aStartThatFailsInTheNodeSaysSoAndWhatNext() {
        Programs failing = command -> {
            throw new Programs.Failure("error TIMEOUT: " + command.arguments().getLast());
        };
        Sandbox sandbox = sandbox(failing);
        List<String> said = new ArrayList<>();

        Refusal.of(
                () -> new NodeStart(sandbox, failing, List.of("ouro"))
                        .run(
                                new RunningNode(1, sandbox.paths(), List.of()),
                                List.of("--timeout", "60s"),
                                Duration.ofMinutes(1),
                                said::add,
                                "run 'ouro up' again"),
                ErrorCode.COMPONENT_FAILED,
                "ouro start in node one",
                "failed with exit code 1; it says above why",
                "run 'ouro up' again");
        assertThat(said).containsExactly("error TIMEOUT: 60s");
    }
}
