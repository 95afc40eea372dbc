package dev.ouroboros.core.lint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.core.json.Json;
import org.junit.jupiter.api.Test;

final class ManifestFileTest {
    @Test
    void aListIsWhatItListsAtAnyDepth() {
        String text = """
                kind: ConfigMap
                metadata: {name: before}
                ---
                kind: List
                items:
                - kind: ConfigMap
                  metadata: {name: one}
                - kind: List
                  items:
                  - kind: ConfigMap
                    metadata: {name: two}
                """;

        assertThat(ManifestFile.manifests(text, "add-ons.yaml"))
                .extracting(object -> object.at("metadata", "name"))
                .containsExactly(Json.text("before"), Json.text("one"), Json.text("two"));
    }

    @Test
    void aListOfNothingIsNothing() {
        assertThat(ManifestFile.manifests("kind: List", "empty.yaml")).isEmpty();
    }
}
