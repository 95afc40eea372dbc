package dev.ouroboros.node.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.core.problem.ProblemException;
import java.nio.file.Path;
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
}
