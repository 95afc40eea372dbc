package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
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
        assertThat(run("render", "--help")).isEqualTo(Ouro.EXIT_DONE);
        String direct = out.toString();
        out.getBuffer().setLength(0);

        assertThat(run("help", "render")).isEqualTo(Ouro.EXIT_DONE);

        assertThat(direct).startsWith("Usage: ouro render").isEqualTo(out.toString());
    }

    @Test
    void namesTheCommandsThatAreMeant() {
        assertThat(run("rendr")).isEqualTo(Ouro.EXIT_USAGE);
        assertThat(err.toString())
                .startsWith("error BAD_USAGE: ouro: Unmatched argument")
                .contains("did you mean render or ")
                .endsWith("'ouro --help' shows what it takes" + System.lineSeparator())
                .hasLineCount(1);
    }

    private int run(String... arguments) {
        CommandLine commandLine = Ouro.commandLine(arguments);
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }
}
