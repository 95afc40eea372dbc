package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** One text for equal JSON values, whatever the order in which their fields came. */
final class Canonical {
    private Canonical() {}

    static String toString(Json value) {
        return new String(text(value), StandardCharsets.UTF_8);
    }

    static byte[] text(Json value) {
        return JsonText.write(sorted(value));
    }

    private static Json sorted(Json value) {
        return switch (value) {
            case Json.Fields(Map<String, Json> fields) -> {
                Map<String, Json> sorted = new TreeMap<>();
                fields.forEach((name, field) -> sorted.put(name, sorted(field)));
                yield new Json.Fields(sorted);
            }
            case Json.Items items -> Json.items(items.values().stream().map(Canonical::sorted));
            case Json.Text text -> text;
            case Json.Numeric number -> number;
            case Json.Bool bool -> bool;
            case Json.Null nothing -> nothing;
        };
    }
}
