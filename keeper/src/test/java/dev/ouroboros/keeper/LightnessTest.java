package dev.ouroboros.keeper;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests run with the jars of the keeper's image (and Bouncy Castle, for certificates of fake API servers). */
class LightnessTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "io.fabric8.kubernetes.api.model.Pod",
                "com.fasterxml.jackson.databind.ObjectMapper",
                "com.fasterxml.jackson.dataformat.yaml.YAMLFactory",
                "org.snakeyaml.engine.v2.api.Load"
            })
    void leavesOut(String heavy) {
        assertThatThrownBy(() -> Class.forName(heavy)).isInstanceOf(ClassNotFoundException.class);
    }
}
