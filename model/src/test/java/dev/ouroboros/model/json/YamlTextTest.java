package dev.ouroboros.model.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.strings;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

final class YamlTextTest {
    @Test
    void laysAnObjectOutAsKubectlDoes() throws Exception {
        Json pod = JsonText.read("""
                {"apiVersion": "v1", "metadata": {"labels": {}, "name": "a"}, "spec": {"containers": [{"args": ["--v=2", "yes"], "image": "a:1"}],
                "priority": 0, "on": true}, "data": {"certificate": "-----BEGIN-----\\nabc\\n"}}
                """);
        assertThat(YamlText.write(pod)).isEqualTo("""
                        apiVersion: v1
                        metadata:
                          labels: {}
                          name: a
                        spec:
                          containers:
                          - args:
                            - "--v=2"
                            - "yes"
                            image: a:1
                          priority: 0
                          "on": true
                        data:
                          certificate: |
                            -----BEGIN-----
                            abc
                        """);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "Yes",
                "0x1f",
                "1e3",
                ".5",
                "1:30",
                "2026-01-01",
                "~",
                "- a",
                "a: b",
                "a #b",
                "a:",
                "#a",
                "*a",
                "&a",
                "!a",
                "%a",
                "@a",
                "`a",
                "{a",
                "[a",
                "'a",
                "\"a",
                "a\n",
                "\n",
                "a\n\n",
                " a\nb",
                "a\n b",
                "a \nb",
                "\ta\nb",
                "a\tb",
                "a\r\nb",
                "\u0085",
                "\u2028",
                "\ufeff",
                "\ud83d\ude00",
                "\u0007",
                "a\u007f",
                "---",
                "...",
                "a\n---\nb",
                "a\n...\n",
                "a\n#b\n",
                "=",
                "<<",
                "a ",
                " "
            })
    void keepsAText(String text) {
        assertThat(parse(YamlText.write(new Json.Fields(Map.of(text, Json.text(text))))))
                .isEqualTo(Map.of(text, text));
    }

    @Test
    void keepsAnyText() {
        // Half of a surrogate pair is no text.
        qt().forAll(strings()
                        .basicMultilingualPlaneAlphabet()
                        .ofLengthBetween(0, 40)
                        .map(text -> text.replaceAll("[\\ud800-\\udfff]", "x")))
                .check(text -> text.equals(parse(YamlText.write(Json.text(text)))));
        qt().forAll(strings().betweenCodePoints('\t', 'b').ofLengthBetween(0, 12))
                .check(text -> text.equals(parse(YamlText.write(Json.text(text)))));
    }

    @Test
    void keepsAnyStructure() {
        qt().forAll(integers().all()).checkAssert(seed -> {
            Json value = random(new Random(seed), 4);
            assertThat(parse(YamlText.write(value))).isEqualTo(plain(value));
        });
    }

    @Test
    void keepsATextOfAnyLength() {
        assertThat(parse(YamlText.write(Json.text("word ".repeat(100_000) + "end"))))
                .isEqualTo("word ".repeat(100_000) + "end");
    }

    @Test
    void keepsAKeyThatIsTooLongForOneLine() {
        Json value = new Json.Fields(Map.of("k".repeat(5000), new Json.Items(List.of(Json.text("a")))));
        assertThat(parse(YamlText.write(value))).isEqualTo(plain(value));
    }

    private static Json random(Random random, int depth) {
        return switch (random.nextInt(depth == 0 ? 4 : 7)) {
            case 0 -> Json.text("a\nb" + "\n".repeat(random.nextInt(3)));
            case 1 -> Json.number(random.nextInt());
            case 2 -> Json.bool(random.nextBoolean());
            case 3 -> Json.absent();
            case 4 -> new Json.Items(List.of(random(random, depth - 1), random(random, depth - 1)));
            case 5 -> new Json.Items(List.of());
            default -> {
                Map<String, Json> fields = new LinkedHashMap<>();
                for (int index = random.nextInt(4); index > 0; index--) {
                    fields.put("key " + index, random(random, depth - 1));
                }
                yield new Json.Fields(fields);
            }
        };
    }

    private static Object parse(String yaml) {
        return new Load(LoadSettings.builder().build()).loadFromString(yaml);
    }

    @SuppressWarnings("NullAway") // null is what YAML's null is read as
    private static Object plain(Json value) {
        return switch (value) {
            case Json.Text(String text) -> text;
            case Json.Numeric(String literal) -> Integer.valueOf(literal);
            case Json.Bool(boolean bool) -> bool;
            case Json.Null() -> null;
            case Json.Items(List<Json> items) ->
                items.stream()
                        .map(YamlTextTest::plain)
                        .collect(java.util.stream.Collectors.toCollection(java.util.ArrayList::new));
            case Json.Fields(Map<String, Json> fields) -> {
                Map<String, Object> map = new LinkedHashMap<>();
                fields.forEach((key, item) -> map.put(key, plain(item)));
                yield map;
            }
        };
    }
}
