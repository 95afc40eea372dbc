package dev.ouroboros.images.debian;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.packages.DebianPackages;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cache around the build: whole entries or none. The real build is tested end to end. */
final class DebianSourceTest {
    @TempDir
    private Path root = Path.of("");

    private final Disk disk = new LocalDisk();
    private final RefusingApt processes = new RefusingApt();
    private Path debian = Path.of("");

    @BeforeEach
    void makeCache() {
        debian = new CacheDirectory(root).debian();
        disk.createDirectories(debian, "rwxr-xr-x");
    }

    @Test
    void usesACompleteEntryWithoutRunningAnything() {
        entry("1.20.2-1", "1.20.2");

        assertThat(source().resolve(request(Optional.empty())).kubernetesVersion())
                .isEqualTo("1.20.2");
        assertThat(processes.commands).isEmpty();
    }

    @Test
    void ignoresWhatIsHalfFinished() throws IOException {
        entry("1.20.2-1", "1.20.2");
        Files.delete(debian.resolve("1.20.2-1/bin/kubelet"));
        disk.createDirectories(debian.resolve("1.21.0-1/bin"), "rwxr-xr-x");

        assertThat(source().cached(Optional.empty())).isEmpty();
    }

    @Test
    void removesTheWorkOfAKilledBuildAndItsOwnWhenItFails() {
        disk.createDirectories(debian.resolve(".work-1-2/tree/_output"), "rwxr-xr-x");

        assertThatThrownBy(() -> source().resolve(request(Optional.empty()))).hasMessageContaining("no apt here");

        assertThat(disk.list(debian)).containsExactly(".lock");
    }

    @Test
    void leavesTheWorkOfABuildThatStillRuns() throws Exception {
        Path work = debian.resolve(".work-1-2");
        disk.createDirectories(work, "rwxr-xr-x");
        Process orphan = new ProcessBuilder(
                        "flock", work.resolve("guard").toString(), "sh", "-c", "echo locked; exec cat")
                .start();
        try {
            assertThat(orphan.inputReader().readLine()).isEqualTo("locked");

            assertThatThrownBy(() -> source().resolve(request(Optional.empty())))
                    .hasMessageContaining("no apt");

            assertThat(disk.list(debian)).containsExactly(".lock", ".work-1-2");
        } finally {
            orphan.destroyForcibly().waitFor();
        }
    }

    @Test
    void saysHowMuchSpaceIsNeededBeforeItBegins() {
        DebianSource source = new DebianSource(
                processes,
                new SmallDisk(),
                new DebianPackages(processes, disk, root.resolve("scratch")),
                () -> Instant.EPOCH,
                new CacheDirectory(root));

        assertThatThrownBy(() -> source.resolve(request(Optional.empty())))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems().getFirst().code()).isEqualTo(ErrorCode.DISK))
                .hasMessageContaining("1.0 GiB are free")
                .hasMessageContaining("4.0 GiB");
        assertThat(disk.list(debian)).containsExactly(".lock");
    }

    @Test
    void turnsAFullDiskIntoAProblemAndLeavesNoEntry() {
        processes.failure = "tar: write error: No space left on device";

        assertThatThrownBy(() -> source().resolve(request(Optional.empty())))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems().getFirst().code()).isEqualTo(ErrorCode.DISK));
        assertThat(disk.list(debian)).containsExactly(".lock");
    }

    private void entry(String name, String version) {
        Path bin = debian.resolve(name).resolve("bin");
        disk.createDirectories(bin, "rwxr-xr-x");
        for (Binary binary : Binary.values()) {
            disk.write(bin.resolve(binary.fileName()), new byte[0], "rwxr-xr-x");
        }
        byte[] versions =
                ("KUBERNETES=" + version + "\nETCD=3.4.23\n").getBytes(java.nio.charset.StandardCharsets.UTF_8);
        disk.write(debian.resolve(name).resolve("versions"), versions, "rw-r--r--");
    }

    private DebianSource source() {
        return new DebianSource(
                processes,
                disk,
                new DebianPackages(processes, disk, root.resolve("scratch")),
                () -> Instant.EPOCH,
                new CacheDirectory(root));
    }

    private static BinaryRequest request(Optional<String> version) {
        return new BinaryRequest(Optional.empty(), version, true, line -> {});
    }

    /** Everything but apt, which fails. */
    private static final class RefusingApt implements Processes {
        private final LocalProcesses real = new LocalProcesses();
        private final List<String> commands = new ArrayList<>();
        private String failure = "no apt here";

        @Override
        public Result run(Command command) {
            commands.add(command.describe());
            return switch (command.arguments().getFirst()) {
                case "flock" -> real.run(command);
                case "dpkg-query" -> new Result(command.describe(), 0, "dpkg-dev installed\n", "");
                default -> new Result(command.describe(), 100, "", failure);
            };
        }

        @Override
        public Result stream(Command command, Consumer<String> line) {
            throw new AssertionError("nothing is built in this test");
        }

        @Override
        public int attach(Command command) {
            throw new AssertionError("not interactive");
        }
    }

    /** A real disk that says that it is nearly full. */
    private static final class SmallDisk implements Disk {
        private final Disk real = new LocalDisk();

        @Override
        public long usableBytes(Path path) {
            return 1L << 30;
        }

        @Override
        public boolean isMount(Path directory) {
            return real.isMount(directory);
        }

        @Override
        public Optional<byte[]> read(Path file) {
            return real.read(file);
        }

        @Override
        public Optional<String> readText(Path file) {
            return real.readText(file);
        }

        @Override
        public List<String> list(Path directory) {
            return real.list(directory);
        }

        @Override
        public void write(Path file, byte[] content, String permissions) {
            real.write(file, content, permissions);
        }

        @Override
        public void write(Path file, byte[] content, String permissions, int group) {
            real.write(file, content, permissions, group);
        }

        @Override
        public Optional<FileStatus> status(Path path) {
            return real.status(path);
        }

        @Override
        public Optional<java.time.Instant> modifiedAt(Path file) {
            return real.modifiedAt(file);
        }

        @Override
        public void createDirectories(Path directory, String permissions) {
            real.createDirectories(directory, permissions);
        }

        @Override
        public boolean delete(Path file) {
            return real.delete(file);
        }

        @Override
        public void deleteTree(Path directory) {
            real.deleteTree(directory);
        }

        @Override
        public void copy(Path from, Path to, String permissions) {
            real.copy(from, to, permissions);
        }

        @Override
        public void append(Path file, java.io.InputStream content) throws IOException {
            real.append(file, content);
        }

        @Override
        public void rename(Path from, Path to) {
            real.rename(from, to);
        }
    }
}
