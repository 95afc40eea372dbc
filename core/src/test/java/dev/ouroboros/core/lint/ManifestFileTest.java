package dev.ouroboros.core.lint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
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
        assertThatThrownBy(() -> ManifestFile.read("kind: \u0001", "binary.yaml"))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems())
                                .singleElement()
                                .satisfies(problem -> {
                                    assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_CONFIG);
                                    assertThat(problem.where()).isEqualTo("binary.yaml");
                                    assertThat(problem.what()).startsWith("not YAML: ");
                                    assertThat(problem.next()).contains("kubectl apply --dry-run=client");
                                }));
    }
}
