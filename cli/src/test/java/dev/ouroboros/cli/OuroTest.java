package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class OuroTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void readsOnlyTheCommandThatIsAskedFor() {
        assertThat(Ouro.commandLine("render", "--help").getSubcommands()).containsOnlyKeys("render");
        assertThat(Ouro.commandLine("images", "list").getSubcommands()).containsOnlyKeys("images");
    }

    @Test
    void knowsEveryCommandWhereTheyAreListed() {
        assertThat(Ouro.commandLine("--help").getSubcommands()).containsKeys("up", "down", "render", "start", "help");
        assertThat(Ouro.commandLine("help", "render").getSubcommands()).containsKeys("up", "render", "help");
        assertThat(Ouro.commandLine().getSubcommands()).containsKey("render");
    }

    @Test
    void helpIsTheSameHoweverItIsAskedFor() {
        assertThat(run("render", "--help")).isEqualTo(ExitCode.DONE);
        String direct = out.toString();
        out.getBuffer().setLength(0);

        assertThat(run("help", "render")).isEqualTo(ExitCode.DONE);

        assertThat(direct).startsWith("Usage: ouro render").isEqualTo(out.toString());
    }

    @Test
    void namesTheCommandsThatAreMeant() {
        assertThat(run("rendr")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString())
                .startsWith("error BAD_USAGE: ouro: Unmatched argument")
                .contains("did you mean render or ")
                .endsWith("'ouro --help' shows what it takes" + System.lineSeparator())
                .hasLineCount(1);
    }

    @Test
    void eitherOneNodeLosesItsPowerOrAll() {
        assertThat(run("node", "off")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString())
                .startsWith("error BAD_USAGE: ouro node off: Missing required argument")
                .contains("NODE", "--all");
        err.getBuffer().setLength(0);
        assertThat(run("reboot", "node-1", "--all")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).startsWith("error BAD_USAGE: ouro reboot: ").contains("mutually exclusive");
    }

    @Test
    void aWordThatIsNoneOfThoseAnOptionHasIsAnsweredWithThoseWords() {
        for (String[] arguments : new String[][] {
            {"status", "-o", "jsno"},
            {"snapshot", "inspect", "x", "-o", "jsno"},
            {"up", "-o", "jsno"},
            {"probe", "-o", "jsno"}
        }) {
            err.getBuffer().setLength(0);
            assertThat(run(arguments)).isEqualTo(ExitCode.USAGE);
            assertThat(err.toString())
                    .as(arguments[0])
                    .startsWith("error BAD_USAGE: --output: is 'jsno'; expected one of ")
                    .contains("json")
                    .doesNotContain("JSON")
                    .contains("; did you mean json? ")
                    .hasLineCount(1);
        }
    }

    @Test
    void aComponentIsNamedAsItIsTyped() {
        assertThat(run("change", "abort", "kube_scheduler")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString())
                .contains(
                        "one of kube-apiserver, kube-controller-manager, kube-scheduler; did you mean kube-scheduler?")
                .doesNotContain("kubelet");
    }

    /** They are copied. */
    @Test
    void noExampleIsBrokenWithinALine() {
        requireUnbroken(Ouro.commandLine());
    }

    private static void requireUnbroken(CommandLine command) {
        String help = command.getUsageMessage();
        for (String line : command.getCommandSpec().usageMessage().footer()) {
            assertThat(help.lines().toList())
                    .as(command.getCommandSpec().qualifiedName())
                    .contains(line.stripTrailing());
        }
        command.getSubcommands().values().forEach(OuroTest::requireUnbroken);
    }

    @Test
    void ofADamagedFileTheFirstPlacesAreSaidAndOfMistakesAll() throws Exception {
        assertThat(linesOf(ErrorCode.DAMAGED_FILE, 40))
                .hasSize(11)
                .last()
                .isEqualTo("error DAMAGED_FILE: and 30 more places");
        assertThat(linesOf(ErrorCode.INVALID_CONFIG, 40)).hasSize(40);
    }

    private List<String> linesOf(ErrorCode code, int count) throws Exception {
        err.getBuffer().setLength(0);
        CommandLine ouro = Ouro.commandLine();
        ouro.setErr(new PrintWriter(err, true));
        List<Problem> problems = IntStream.range(0, count)
                .mapToObj(number -> new Problem(code, "place " + number, "is wrong", "", "mend it"))
                .toList();
        ouro.getExecutionExceptionHandler()
                .handleExecutionException(new ProblemException(problems), ouro, ouro.parseArgs());
        return err.toString().lines().toList();
    }

    private int run(String... arguments) {
        CommandLine commandLine = Ouro.commandLine(arguments);
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }
}
