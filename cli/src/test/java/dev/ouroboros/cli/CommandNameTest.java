package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.cli.program.CommandName;
import dev.ouroboros.cli.program.WholeProgram;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

final class CommandNameTest {
    private final CommandName called = named("./ouro");

    private static CommandName named(String name) {
        return new CommandName(name, WholeProgram.of(Ouro.commandLine().getCommandSpec()));
    }

    @Test
    void hintsCanBeTypedAsTheyStand() {
        assertThat(called.in("start it: ouro up --name one")).isEqualTo("start it: ./ouro up --name one");
        assertThat(called.in("export KUBECONFIG=$(ouro kubeconfig); 'ouro nodes', (ouro down)"))
                .isEqualTo("export KUBECONFIG=$(./ouro kubeconfig); './ouro nodes', (./ouro down)");
        assertThat(called.in("'ouro --help' shows what it takes")).isEqualTo("'./ouro --help' shows what it takes");
        assertThat(named("/srv/my tools/ouro").in("run 'x' or ouro up"))
                .isEqualTo("run 'x' or '/srv/my tools/ouro' up");
    }

    @Test
    void whatIsNoCallStays() {
        for (String text : new String[] {
            "a defect in ouro, please report it",
            "/opt/ouro up",
            "my-ouro up",
            "ouro said so",
            "sandbox ouro is up",
            "ouro"
        }) {
            assertThat(called.in(text)).isEqualTo(text);
        }
    }

    @Test
    void whoCalledOuroReadsOuro() {
        assertThat(named("ouro").in("ouro up")).isEqualTo("ouro up");
    }

    @Test
    void aLineThatIsPrintedInPartsIsOne() {
        StringWriter text = new StringWriter();
        PrintWriter writer = called.printing(new PrintWriter(text));

        writer.printf("%s%s %s%n", "ou", "ro", "up");
        writer.print("proceed? ");
        writer.flush();

        assertThat(text).hasToString("./ouro up\nproceed? ");
    }
}
