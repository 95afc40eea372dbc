package dev.ouroboros.model.json;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Objects of tests, written as people write them. */
public final class YamlFixture {
    private YamlFixture() {}

    public static Json yaml(String text) {
        try {
            return JsonText.read(new ObjectMapper().writeValueAsBytes(new YAMLMapper().readTree(text)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
