package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.cli.program.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class ImagesCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @ValueSource(strings = {"", "list", "build", "load"})
    void helpHasAnExample(String verb) {
        assertThat(run(("images " + verb + " --help").split(" +", -1))).isEqualTo(ExitCode.DONE);
        assertThat(out.toString()).contains("ouro images ").containsPattern("Examples?:");
    }

    @Test
    void refusesAVersionThatIsNone() {
        assertThat(run("images", "build", "--kubernetes-version", "latest")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("--kubernetes-version", "'latest'", "1.20.2");
    }

    @Test
    void refusesTwoPlacesToLoadInto() {
        assertThat(run("images", "load", "--name", "a", "--address", "/c.sock")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("--address and --name");
    }

    @Test
    void namesTheDirectoryThatDoesNotExist() {
        assertThat(run("images", "build", "--binaries", "/no/such/directory")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("/no/such/directory", "release or debian");
    }

    private int run(String... arguments) {
        CommandLine commandLine = Ouro.commandLine();
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }
}
