package dev.ouroboros.render.lint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
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

    @Test
    void saysWhatIsNoTextAtAll() {
        Refusal.of(() -> ManifestFile.read("kind: \u0001", "binary.yaml"), ErrorCode.INVALID_CONFIG)
                .where("binary.yaml")
                .whatStartsWith("not YAML: ")
                .nextContains("kubectl apply --dry-run=client");
    }
}
