package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.cli.program.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class DownCommandTest {
    @Test
    void oneSandboxAndAllOfThemIsAMistakeAndRemovesNothing() {
        StringWriter said = new StringWriter();
        CommandLine ouro = Ouro.commandLine().setErr(new PrintWriter(said));

        assertThat(ouro.execute("down", "--all", "--name", "x")).isEqualTo(ExitCode.USAGE);
        assertThat(said.toString()).contains("--all and --name");
    }
}
