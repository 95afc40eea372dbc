package dev.ouroboros.node.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExclusiveLockTest {
    @Test
    void isHeldByOneAndNamesItsHolder(@TempDir Path directory) {
        Path file = directory.resolve("lock");
        try (ExclusiveLock _ = ExclusiveLock.acquire(file, "a test")) {
            assertThatThrownBy(() -> ExclusiveLock.acquire(file, "a test"))
                    .isInstanceOf(ProblemException.class)
                    .hasMessageContaining("process " + ProcessHandle.current().pid());
        }
        try (ExclusiveLock again = ExclusiveLock.acquire(file, "a test")) {
            assertThat(again).isNotNull();
        }
    }

    @Test
    void waitsForAnotherProcessAndSaysSo(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("lock");
        Process holder = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        file.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(holder.inputReader().readLine()).isEqualTo("locked");
            List<String> said = new ArrayList<>();
            assertThat(ExclusiveLock.isHeld(file)).isTrue();

            ExclusiveLock.await(file, "a test", () -> {
                        said.add("waiting");
                        holder.destroy();
                    })
                    .close();

            assertThat(said).containsExactly("waiting");
            assertThat(ExclusiveLock.isHeld(file)).isFalse();
            assertThat(ExclusiveLock.isHeld(directory.resolve("missing"))).isFalse();
        } finally {
            holder.destroyForcibly().waitFor();
        }
    }

    @Test
    void doesNotWaitForAnotherThreadOfThisProcess(@TempDir Path directory) {
        Path file = directory.resolve("lock");
        try (ExclusiveLock _ = ExclusiveLock.await(file, "a test", () -> {})) {
            assertThatThrownBy(() -> ExclusiveLock.await(file, "a test", () -> {}))
                    .isInstanceOf(ProblemException.class);
        }
    }

    @Test
    void saysWhyALockFileCannotBeOne(@TempDir Path directory) {
        Refusal.of(() -> ExclusiveLock.acquire(directory, "a test"), ErrorCode.DISK)
                .where(directory)
                .whatStartsWith("cannot be opened: ");
        Refusal.of(() -> ExclusiveLock.await(directory, "a test", () -> {}), ErrorCode.DISK)
                .where(directory)
                .whatStartsWith("cannot be opened: ");
        Path tooLong = directory.resolve("n".repeat(300));
        Refusal.of(() -> ExclusiveLock.isHeld(tooLong), ErrorCode.DISK)
                .where(tooLong)
                .whatStartsWith("cannot be asked for its lock: ");
    }

    /** The second time tells whether the first gave back what it had locked before the disk was full. */
    @Test
    void saysThatADiskIsFullAndHoldsNothingThen() {
        Path full = Path.of("/dev/full");
        Refusal.of(() -> ExclusiveLock.acquire(full, "a test"), ErrorCode.DISK)
                .where(full)
                .whatStartsWith("cannot be locked: ");
        Refusal.of(() -> ExclusiveLock.acquire(full, "a test"), ErrorCode.DISK)
                .where(full)
                .whatStartsWith("cannot be locked: ");
        assertThatThrownBy(() -> ExclusiveLock.acquire(full, "a test"))
                .hasMessageContaining("No space left")
                .hasMessageContaining("make room there");
    }

    /** Holds a lock until it is killed. */
    static final class Holder {
        public static void main(String[] arguments) throws Exception {
            try (ExclusiveLock _ = ExclusiveLock.acquire(Path.of(arguments[0]), "a test")) {
                System.out.println("locked");
                Thread.currentThread().join();
            }
        }
    }
}
