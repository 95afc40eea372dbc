package dev.ouroboros.cli.console;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.ouroboros.cli.program.CommandName;
import java.io.PrintWriter;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;

/** How a command prints data. */
public enum OutputFormat {
    TABLE,
    JSON,
    YAML;

    /** Prints the data on standard output, as {@link #format} has them. */
    public void print(CommandSpec spec, JsonNode data, Supplier<String> table) {
        PrintWriter out = spec.commandLine().getOut();
        out.print(format(spec, data, table));
        out.flush();
    }

    /**
     * The data as text with a closing line end.
     *
     * @param spec of the command that prints it
     * @param table asked for only when it is wanted
     */
    public String format(CommandSpec spec, JsonNode data, Supplier<String> table) {
        try {
            return switch (this) {
                case TABLE -> CommandName.ofThisProcess(spec).in(table.get());
                case JSON -> new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(data) + "\n";
                case YAML ->
                    YAMLMapper.builder()
                            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
                            .build()
                            .writeValueAsString(data);
            };
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree can always be written", e);
        }
    }
}
