package dev.ouroboros.node.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.core.problem.ProblemException;
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
