package dev.ouroboros.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Asks another process whether the lock is held: a process never sees its own POSIX locks in the way. */
final class VanishingLockTest {
    /** Takes a POSIX lock as java does, and says whether it got it. */
    private static final String TRY = """
            import java.nio.channels.FileChannel;
            import java.nio.file.Path;
            import java.nio.file.StandardOpenOption;

            void main(String[] arguments) throws Exception {
                try (FileChannel channel = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.WRITE)) {
                    IO.println(channel.tryLock() == null ? "held" : "free");
                }
            }
            """;

    @TempDir
    Path directory;

    private final Disk disk = new LocalDisk();

    @Test
    void keepsOthersOutUntilItIsClosed() throws IOException {
        Path file = directory.resolve("sandbox/lock");

        try (VanishingLock _ = VanishingLock.acquire(file, "test", disk)) {
            assertThat(seenByAnotherProcess(file)).isEqualTo("held");
        }

        assertThat(seenByAnotherProcess(file)).isEqualTo("free");
    }

    @Test
    void itsFileCanGoWhileItIsHeld() {
        Path file = directory.resolve("sandbox/lock");

        try (VanishingLock _ = VanishingLock.acquire(file, "test", disk)) {
            disk.deleteTree(directory.resolve("sandbox"));
        }

        try (VanishingLock _ = VanishingLock.acquire(file, "test", disk)) {
            assertThat(file).exists();
        }
    }

    @Test
    void endsWhenTheKernelsListNeverHasTheLock() throws IOException {
        Path file = directory.resolve("sandbox/lock");
        Path othersLocks = Files.createFile(directory.resolve("locks"));

        assertThatThrownBy(() -> VanishingLock.acquire(file, "test", disk, othersLocks))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(othersLocks.toString());
        assertThat(seenByAnotherProcess(file)).isEqualTo("free");
    }

    @Test
    void saysThatTheKernelsListCannotBeRead() {
        Path file = directory.resolve("sandbox/lock");

        Refusal.of(
                () -> VanishingLock.acquire(file, "test", disk, directory),
                ErrorCode.DISK,
                file.toString(),
                "its lock cannot be looked at: Is a directory",
                "see what is in its place");
    }

    private String seenByAnotherProcess(Path file) throws IOException {
        Path source = directory.resolve("Try.java");
        Files.writeString(source, TRY);
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        return new LocalProcesses()
                .run(Command.of(java.toString(), source.toString(), file.toString())
                        .withTimeout(Duration.ofMinutes(1)))
                .orThrow()
                .strip();
    }
}
