package dev.ouroboros.node.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FreeSpaceTest {
    private final LocalDisk disk = new LocalDisk();

    @Test
    void whatFitsIsNotSpokenOf(@TempDir Path directory) {
        assertThat(FreeSpace.lack(disk, directory.resolve("not/there"), 1, "a byte", "make room"))
                .isEmpty();
    }

    @Test
    void whatDoesNotFitIsRefusedWithHowMuchItTakes(@TempDir Path directory) {
        Refusal.of(() -> FreeSpace.require(disk, directory, (1L << 60) + 1, "the world", "make room"), ErrorCode.DISK)
                .where(directory.toString())
                .lineContains("MiB free", "1099511627777 MiB, for the world", "make room");
    }
}
