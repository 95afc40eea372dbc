package dev.ouroboros.render.manifest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import java.nio.charset.StandardCharsets;

/** Writes typed objects as YAML or as JSON, the same bytes for the same object. */
public final class Yaml {
    private final ObjectMapper mapper;
    private final ObjectMapper jsonMapper;

    public Yaml() {
        YAMLFactory factory = YAMLFactory.builder()
                .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                .disable(YAMLGenerator.Feature.SPLIT_LINES)
                .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
                .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
                .enable(YAMLGenerator.Feature.LITERAL_BLOCK_STYLE)
                .build();
        this.mapper = stable(new ObjectMapper(factory));
        this.jsonMapper = stable(new ObjectMapper());
    }

    private static ObjectMapper stable(ObjectMapper mapper) {
        return mapper.setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL)
                .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);
    }

    public byte[] bytes(Object object) {
        return text(object).getBytes(StandardCharsets.UTF_8);
    }

    public String text(Object object) {
        return write(mapper, object);
    }

    /** For readers that know no other YAML. */
    public String json(Object object) {
        return write(jsonMapper, object) + "\n";
    }

    private static String write(ObjectMapper mapper, Object object) {
        try {
            return mapper.writeValueAsString(object);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write " + object.getClass().getSimpleName(), e);
        }
    }
}
