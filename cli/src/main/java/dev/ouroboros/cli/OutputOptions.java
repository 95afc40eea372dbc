package dev.ouroboros.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** How a command that shows a table prints its data. */
final class OutputOptions {
    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "TABLE",
            description = "table, json or yaml (default: table).")
    private OutputFormat format = OutputFormat.TABLE;

    /** As {@link OutputFormat#format}. */
    String format(JsonNode data, Supplier<String> table) {
        return format.format(data, table);
    }
}
