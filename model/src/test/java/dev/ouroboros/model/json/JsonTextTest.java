package dev.ouroboros.model.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTextTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"b\":1,\"a\":[true,false,null,\"é\\n\"],\"c\":{}}",
                "[]",
                "\"\"",
                "12345678901234567890.10",
                "1E400",
                "null"
            })
    void writesWhatItRead(String text) throws Exception {
        assertThat(new String(JsonText.write(JsonText.read(text)), StandardCharsets.UTF_8))
                .isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{\"a\":1", "[1,", "{}{}", "{\"a\":1,\"a\":2}", "nul", "{\"a\"}", "\u0000"})
    void refusesWhatIsNotOneWholeValue(String text) {
        assertThatThrownBy(() -> JsonText.read(text)).isInstanceOf(JsonText.MalformedJson.class);
    }

    @Test
    void saysWhereItStopped() {
        assertThatThrownBy(() -> JsonText.read("{\n \"a\": x}")).hasMessageContaining("line 2");
    }

    @Test
    void readsWhatIsMissingAsEmpty() throws Exception {
        Json pod = JsonText.read("{\"spec\":{\"nodeName\":\"n\",\"priority\":7,\"containers\":[{}]}}");
        assertThat(pod.at("spec", "nodeName").text()).contains("n");
        assertThat(pod.at("spec", "priority").integer()).hasValue(7);
        assertThat(pod.at("spec", "containers").items()).hasSize(1);
        assertThat(pod.at("status", "phase").text()).isEmpty();
        assertThat(pod.at("spec", "nodeName", "deeper").isNull()).isTrue();
    }

    @Test
    void setsAFieldInItsPlace() throws Exception {
        Json.Fields fields = (Json.Fields) JsonText.read("{\"a\":1,\"b\":2}");
        assertThat(JsonText.write(fields.with("a", Json.text("x")).without("b")))
                .isEqualTo("{\"a\":\"x\"}".getBytes(StandardCharsets.UTF_8));
    }
}
