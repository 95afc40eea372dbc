package dev.ouroboros.cli.console;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** How a command that reports to people on standard error reports to programs: on standard output, when it is asked to. */
public final class OutcomeOptions {
    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "TABLE",
            description =
                    "json or yaml: what came of it, on standard output as well (default: on standard error only).")
    private OutputFormat format = OutputFormat.TABLE;

    public void print(CommandSpec spec, Supplier<JsonNode> outcome) {
        if (format != OutputFormat.TABLE) {
            format.print(spec, outcome.get(), () -> "");
        }
    }
}
