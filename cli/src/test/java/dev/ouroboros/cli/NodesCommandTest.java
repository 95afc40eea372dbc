package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.cli.Blunder.Said;
import dev.ouroboros.cli.program.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NodesCommandTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void aDamagedRecordHidesNoOtherSandbox() throws Exception {
        try (Blunder blunder = new Blunder(directory)) {
            blunder.file("var/lib/ouroboros/sandboxes/damaged/sandbox.json", "{");
            blunder.file("var/lib/ouroboros/sandboxes/sound/sandbox.json", """
                    {"subnet": 1, "created": "2026-11-21T00:00:00Z", "kubernetesVersion": "1.36.2", "complete": true}
                    """);
            Path printed = blunder.path("printed");

            Said said = MachineMistakes.onMachine(blunder, "exec >'" + printed + "'", "nodes");

            assertThat(said.exitCode()).isNotEqualTo(ExitCode.DONE);
            assertThat(said.error()).contains("error FOREIGN_FILE: ", "ouro down --name damaged");
            assertThat(Files.readString(printed)).contains("sound").doesNotContain("damaged");
        }
    }
}
