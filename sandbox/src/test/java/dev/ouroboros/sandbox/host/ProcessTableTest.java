package dev.ouroboros.sandbox.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProcessTableTest {
    /** One more than Linux gives out. */
    private static final long NOBODY = 4_194_305;

    private final long self = ProcessHandle.current().pid();

    @TempDir
    private Path proc = Path.of("");

    @Test
    void aProcessIsNamedByItsProgram() {
        assertThat(new ProcessTable().describe(self)).isEqualTo("java (" + self + ")");
    }

    @Test
    void oneThatHasEndedIsNobody() {
        assertThat(new ProcessTable().describe(NOBODY)).isEqualTo("? (" + NOBODY + ")");
    }

    @Test
    void oneThatLivesAndCannotBeReadIsNotTakenForOneThatHasEnded() throws IOException {
        Path status = Files.createDirectories(proc.resolve(self + "/status"));

        Refusal.of(
                () -> new ProcessTable(proc).describe(self),
                ErrorCode.DISK,
                status.toString(),
                "cannot be read: Is a directory",
                "");
    }
}
