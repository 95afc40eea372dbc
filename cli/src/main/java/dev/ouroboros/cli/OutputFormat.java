package dev.ouroboros.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.function.Supplier;

/** How a command prints data. */
enum OutputFormat {
    TABLE,
    JSON,
    YAML;

    /** The data as text with a closing line end; {@code table} is asked for only when it is wanted. */
    String format(JsonNode data, Supplier<String> table) {
        try {
            return switch (this) {
                case TABLE -> CommandName.ofThisProcess().in(table.get());
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
