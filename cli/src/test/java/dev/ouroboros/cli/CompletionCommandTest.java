package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class CompletionCommandTest {
    @TempDir
    private Path directory;

    @Test
    void bashCompletesCommandsAndTheirOptions() throws IOException {
        Path script = Files.writeString(directory.resolve("ouro.bash"), completion("bash"));

        assertThat(bash(script, "ouro", "sna")).contains("snapshot");
        assertThat(bash(script, "ouro", "snapshot", "ins")).contains("inspect");
        assertThat(bash(script, "ouro", "up", "--ku")).contains("--kubernetes-version");
    }

    @Test
    void fishHasALineForEveryCommandAndOption() {
        String script = completion("fish");

        assertThat(script)
                .contains("complete -c ouro -n 'not __fish_seen_subcommand_from ")
                .contains(" -a snapshot -d '")
                .contains("-n '__fish_seen_subcommand_from up' -l kubernetes-version -r -F -d ")
                .contains(
                        "-n '__fish_seen_subcommand_from snapshot; and __fish_seen_subcommand_from inspect' -l encryption-config ")
                .doesNotContain("-a train");
        assertThat(script.lines())
                .allMatch(line ->
                        line.replace("\\'", "").chars().filter(c -> c == '\'').count() % 2 == 0);
    }

    @Test
    void namesTheShellsThatItKnows() {
        StringWriter err = new StringWriter();

        assertThat(run(new StringWriter(), err, "tcsh")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).containsIgnoringCase("bash").containsIgnoringCase("fish");
    }

    private static String completion(String shell) {
        StringWriter out = new StringWriter();
        assertThat(run(out, new StringWriter(), shell)).isEqualTo(ExitCode.DONE);
        return out.toString();
    }

    private static int run(StringWriter out, StringWriter err, String shell) {
        CommandLine commandLine = Ouro.commandLine("completion", shell);
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute("completion", shell);
    }

    /** What bash proposes for the last word. */
    private static String bash(Path script, String... words) {
        Result result = new LocalProcesses()
                .run(Command.of(
                        "bash",
                        "-c",
                        "source '" + script + "'; COMP_WORDS=(" + String.join(" ", words) + "); COMP_CWORD="
                                + (words.length - 1) + "; _complete_ouro; echo \"${COMPREPLY[@]}\""));
        assertThat(result.exitCode()).as(result.error()).isZero();
        return result.output();
    }
}
