package dev.ouroboros.cli.console;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** How a command that shows a table prints its data. */
public final class OutputOptions {
    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "TABLE",
            description = "table, json or yaml (default: table).")
    private OutputFormat format = OutputFormat.TABLE;

    /** As {@link OutputFormat#print}. */
    public void print(CommandSpec spec, JsonNode data, Supplier<String> table) {
        format.print(spec, data, table);
    }
}
