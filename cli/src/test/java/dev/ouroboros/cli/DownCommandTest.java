package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.cli.Blunder.Said;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.node.lock.ExclusiveLock;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class DownCommandTest {
    private static final String SANDBOXES = "var/lib/ouroboros/sandboxes/";

    @TempDir
    private Path directory = Path.of("");

    @Test
    void oneSandboxAndAllOfThemIsAMistakeAndRemovesNothing() {
        StringWriter said = new StringWriter();
        CommandLine ouro = Ouro.commandLine().setErr(new PrintWriter(said));

        assertThat(ouro.execute("down", "--all", "--name", "x")).isEqualTo(ExitCode.USAGE);
        assertThat(said.toString()).contains("--all and --name");
    }

    @Test
    void oneThatCannotBeRemovedKeepsNoOther() throws Exception {
        try (Blunder blunder = new Blunder(directory)) {
            for (String name : new String[] {"down-test-1", "down-test-2", "down-test-3"}) {
                blunder.file(SANDBOXES + name + "/switch.log", "");
            }
            ExclusiveLock lock = ExclusiveLock.acquire(blunder.path(SANDBOXES + "down-test-2/lock"), "another");
            blunder.closeLater(lock::close);

            Said said = MachineMistakes.onMachine(blunder, ":", "down", "--all");

            assertThat(said.exitCode()).isEqualTo(ExitCode.FAILED);
            assertThat(said.error())
                    .contains("error LOCKED: sandbox down-test-2")
                    .contains("sandbox down-test-1: removed", "sandbox down-test-3: removed");
            assertThat(blunder.path(SANDBOXES + "down-test-1")).doesNotExist();
            assertThat(blunder.path(SANDBOXES + "down-test-2")).exists();
            assertThat(blunder.path(SANDBOXES + "down-test-3")).doesNotExist();
        }
    }

    /** The kernel lists mounts without links. */
    @Test
    void whatAPersonMountedStaysWhereTheWayToItIsALink() throws Exception {
        try (Blunder blunder = new Blunder(directory)) {
            Path precious = blunder.file("precious/file", "of a person");
            Path mounted = Files.createDirectories(blunder.path("elsewhere/sandboxes/down-test-1/mounted"));
            Files.createDirectories(blunder.path("var/lib"));
            Files.createSymbolicLink(blunder.path("var/lib/ouroboros"), blunder.path("elsewhere"));
            String mount = "mount --bind '" + blunder.path("precious") + "' '" + mounted + "'";

            Said said = MachineMistakes.onMachine(blunder, mount, "down", "--name", "down-test-1");

            assertThat(said.error()).contains("mount 1", "nothing is left");
            assertThat(precious).hasContent("of a person");
            assertThat(mounted).doesNotExist();
        }
    }
}
